// The kinds of fields that the settings of the reader are made of: a choice, a switch, a measure. Each knows its setting by name.
import { useId } from 'preact/hooks';
import { numberText } from '../messages/messages.js';
import { r } from '../messages/reader-messages.js';
import type { Reading } from './reading.js';
import { BOUNDS, type RangeSetting, type Setting, type Settings } from './rules/settings.js';

/** Settings whose values are words that have names. */
export type ChoiceSetting = keyof typeof r.options & Setting;
export type FlagSetting = { [Key in Setting]: Settings[Key] extends boolean ? Key : never }[Setting];

interface FieldProps<Key> {
  readonly reading: Reading;
  readonly setting: Key;
}

export const Choice = ({ reading, setting }: FieldProps<ChoiceSetting>) => {
  const id = useId();
  const names = r.options[setting] as Readonly<Record<string, string>>;
  const value = String(reading.stored.all.value[setting]);
  return (
    <div class="setting">
      <label for={id}>{r.settings[setting]}</label>
      <select
        id={id}
        value={value}
        onChange={({ currentTarget }) => reading.stored.change({ [setting]: currentTarget.value } as Partial<Settings>)}
      >
        {Object.entries(names).map(([word, name]) => (
          <option key={word} value={word} selected={word === value}>
            {name}
          </option>
        ))}
      </select>
    </div>
  );
};

export const Flag = ({ reading, setting }: FieldProps<FlagSetting>) => {
  const id = useId();
  return (
    <div class="setting">
      <label for={id}>{r.settings[setting]}</label>
      <input
        id={id}
        type="checkbox"
        class="switch"
        checked={reading.stored.all.value[setting]}
        onChange={({ currentTarget }) =>
          reading.stored.change({ [setting]: currentTarget.checked } as Partial<Settings>)
        }
      />
    </div>
  );
};

export const RangeField = ({ reading, setting }: FieldProps<RangeSetting>) => {
  const id = useId();
  const value = reading.stored.all.value[setting];
  const { min, max, step } = BOUNDS[setting];
  const text = r.units[setting](value, numberText(value));
  return (
    <div class="setting range">
      <label for={id}>{r.settings[setting]}</label>
      <output for={id}>{text}</output>
      <input
        id={id}
        type="range"
        min={min}
        max={max}
        step={step}
        value={value}
        aria-valuetext={text}
        onInput={({ currentTarget }) =>
          reading.stored.change({ [setting]: currentTarget.valueAsNumber } as Partial<Settings>)
        }
      />
    </div>
  );
};
