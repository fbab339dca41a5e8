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

/** What the setting does, where that is not obvious, and whether it is set at the selected target and overridden in the open book. */
const noteOf = ({ stored }: Reading, setting: Setting): string => {
  const overriddenBy = stored.overriddenBy(setting);
  const isSet = stored.isSetAtTarget(setting);
  return [r.explained[setting], isSet && r.target.isSet, overriddenBy !== null && r.target.hidden[overriddenBy]]
    .filter(Boolean)
    .join(' ');
};

/** A note below a field, and the attribute that links the field to it. */
const useNote = ({ reading, setting }: FieldProps<Setting>) => {
  const id = useId();
  const text = noteOf(reading, setting);
  if (text === '') return { described: {}, note: null };
  const note = (
    <p class="setting-note" id={id}>
      {text}
    </p>
  );
  return { described: { 'aria-describedby': id }, note };
};

export const Choice = ({ reading, setting }: FieldProps<ChoiceSetting>) => {
  const id = useId();
  const { described, note } = useNote({ reading, setting });
  const names = r.options[setting] as Readonly<Record<string, string>>;
  const value = String(reading.stored.shown.value[setting]);
  return (
    <div class="setting">
      <label for={id}>{r.settings[setting]}</label>
      <select
        id={id}
        {...described}
        value={value}
        onChange={({ currentTarget }) => reading.stored.change({ [setting]: currentTarget.value } as Partial<Settings>)}
      >
        {Object.entries(names).map(([word, name]) => (
          <option key={word} value={word} selected={word === value}>
            {name}
          </option>
        ))}
      </select>
      {note}
    </div>
  );
};

interface SwitchProps {
  readonly label: string;
  readonly note: string;
  readonly isOn: boolean;
  readonly onChange: (isOn: boolean) => void;
}

/** For what does not depend on the selected scope. */
export const Switch = ({ label, note, isOn, onChange }: SwitchProps) => {
  const [id, noteId] = [useId(), useId()];
  return (
    <div class="setting">
      <label for={id}>{label}</label>
      <input
        id={id}
        aria-describedby={noteId}
        type="checkbox"
        class="switch"
        checked={isOn}
        onChange={({ currentTarget }) => onChange(currentTarget.checked)}
      />
      <p class="setting-note" id={noteId}>
        {note}
      </p>
    </div>
  );
};

export const Flag = ({ reading, setting }: FieldProps<FlagSetting>) => {
  const id = useId();
  const { described, note } = useNote({ reading, setting });
  return (
    <div class="setting">
      <label for={id}>{r.settings[setting]}</label>
      <input
        id={id}
        {...described}
        type="checkbox"
        class="switch"
        checked={reading.stored.shown.value[setting]}
        onChange={({ currentTarget }) =>
          reading.stored.change({ [setting]: currentTarget.checked } as Partial<Settings>)
        }
      />
      {note}
    </div>
  );
};

export const RangeField = ({ reading, setting }: FieldProps<RangeSetting>) => {
  const id = useId();
  const { described, note } = useNote({ reading, setting });
  const value = reading.stored.shown.value[setting];
  const { min, max, step } = BOUNDS[setting];
  const text = r.units[setting](value, numberText(value));
  return (
    <div class="setting range">
      <label for={id}>{r.settings[setting]}</label>
      <output for={id}>{text}</output>
      <input
        id={id}
        {...described}
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
      {note}
    </div>
  );
};
