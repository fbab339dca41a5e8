// The settings of the reader, and the scope and devices they apply to. Only those that matter for the current layout are shown.
import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';
import { r } from '../messages/reader-messages.js';
import { run } from './actions.js';
import { Panel } from './panel.js';
import type { Reading } from './reading.js';
import { DEVICES, SCOPES, type Scope } from './rules/profiles.js';
import type { RangeSetting } from './rules/settings.js';
import { chosenZones, hasMenu, SIDE, ZONE_ACTIONS } from './rules/tap-zones.js';
import { Choice, type ChoiceSetting, Flag, type FlagSetting, RangeField, Switch } from './setting-fields.js';

interface Props {
  readonly reading: Reading;
}

const choices = (reading: Reading, settings: readonly ChoiceSetting[]) =>
  settings.map((setting) => <Choice key={setting} reading={reading} setting={setting} />);
const flags = (reading: Reading, settings: readonly FlagSetting[]) =>
  settings.map((setting) => <Flag key={setting} reading={reading} setting={setting} />);
const ranges = (reading: Reading, settings: readonly RangeSetting[]) =>
  settings.map((setting) => <RangeField key={setting} reading={reading} setting={setting} />);

const Group = ({
  title,
  children,
  isOpen = false,
}: {
  readonly title: string;
  readonly isOpen?: boolean;
  readonly children: ComponentChildren;
}) => (
  <details class="setting-group" open={isOpen}>
    <summary>{title}</summary>
    <div>{children}</div>
  </details>
);

const ANY = 'any';

/** What a change applies to: this series, this library or everything, on this kind of device or on all. */
const TargetFields = ({ reading }: Props) => {
  const [scopeId, deviceId] = [useId(), useId()];
  const { target, choose } = reading.stored;
  const { scope, device } = target.value;
  const { book, device: own } = reading.opened;
  const devices = DEVICES.filter((one) => one === own || one === device);
  return (
    <fieldset class="setting-target">
      <legend>{r.target.legend}</legend>
      <label class="visually-hidden" for={scopeId}>
        {r.target.scope}
      </label>
      <select
        id={scopeId}
        value={scope}
        onChange={({ currentTarget }) => {
          const chosen = SCOPES.find((one) => one === currentTarget.value) ?? scope;
          choose({ scope: chosen, device });
        }}
      >
        {SCOPES.map((one: Scope) => (
          <option key={one} value={one} selected={one === scope}>
            {r.target.scopes[one](one === 'library' ? book.libraryName : book.seriesName)}
          </option>
        ))}
      </select>
      <label class="visually-hidden" for={deviceId}>
        {r.target.device}
      </label>
      <select
        id={deviceId}
        value={device ?? ANY}
        onChange={({ currentTarget: { value } }) => {
          choose({ scope, device: value === ANY ? null : value });
        }}
      >
        {devices.map((one) => (
          <option key={one} value={one} selected={one === device}>
            {r.target.devices[one]}
          </option>
        ))}
        <option value={ANY} selected={device === null}>
          {r.target.anyDevice}
        </option>
      </select>
      {reading.stored.isUnstored.value && (
        <p class="error" role="alert">
          {r.target.unstored}
        </p>
      )}
    </fieldset>
  );
};

/** Nine fields, each with what a tap does there; changing one switches to custom zones. */
const OwnZones = ({ reading }: Props) => {
  const { zones: preset, ownZones: own } = reading.stored.shown.value;
  const fields = chosenZones({ preset, own });
  const change = (index: number): void => {
    const now = fields[index] ?? 'none';
    const next = ZONE_ACTIONS[(ZONE_ACTIONS.indexOf(now) + 1) % ZONE_ACTIONS.length] ?? 'none';
    reading.stored.change({ zones: 'own', ownZones: fields.map((field, at) => (at === index ? next : field)) });
  };
  return (
    <fieldset class="own-zones">
      <legend>{r.zones.legend}</legend>
      {fields.map((action, index) => (
        <button
          key={`${Math.floor(index / SIDE)}-${index % SIDE}`}
          type="button"
          class={`zone ${action}`}
          aria-label={r.zones.field(index, r.zones.actions[action])}
          onClick={() => change(index)}
        >
          {r.zones.actions[action]}
        </button>
      ))}
      <p class="hint" role="status">
        {hasMenu(fields) ? '' : r.zones.middle}
      </p>
    </fieldset>
  );
};

const TouchGroup = ({ reading }: Props) => (
  <Group title={r.groups.touch}>
    {choices(reading, ['zones'])}
    <OwnZones reading={reading} />
    {choices(reading, ['zonesFlip'])}
    {flags(reading, ['swipe'])}
    <button
      type="button"
      class="button"
      onClick={() => {
        reading.panel.value = null;
        reading.isMenuShown.value = false;
        reading.areZonesShown.value = true;
      }}
    >
      {r.zones.show}
    </button>
  </Group>
);

const ShiftField = ({ reading: { stored } }: Props) => (
  <Switch
    label={r.settings.shifted}
    note={r.explained.shifted ?? ''}
    isOn={stored.isShifted.value}
    onChange={stored.shift}
  />
);

const IncognitoField = ({ reading: { isIncognito } }: Props) => (
  <Switch
    label={r.bar.incognito}
    note={r.incognitoExplained}
    isOn={isIncognito.value}
    onChange={(isOn) => {
      isIncognito.value = isOn;
    }}
  />
);

const LayoutGroup = ({ reading }: Props) => {
  const { mode, isDouble } = reading.layout.value;
  return (
    <Group title={r.groups.layout} isOpen>
      {choices(reading, ['mode'])}
      {mode !== 'strip' && choices(reading, ['direction'])}
      {mode === 'paged' && choices(reading, ['pairs'])}
      {isDouble && flags(reading, ['coverAlone'])}
      {isDouble && <ShiftField reading={reading} />}
      {mode.startsWith('paged') && !isDouble && choices(reading, ['wide'])}
    </Group>
  );
};

/** Says why nothing happens where nothing does. */
const CropNote = ({ reading: { borders, page } }: Props) => (
  <p class="setting-note crop-note" role="status">
    {borders.isReady.value && borders.cropOf(page.value) === null ? r.wholePage : ''}
  </p>
);

const SizeGroup = ({ reading }: Props) => {
  const { mode } = reading.layout.value;
  return (
    <Group title={r.groups.size} isOpen>
      {mode.startsWith('paged') ? choices(reading, ['fit', 'zoomStart']) : choices(reading, ['stripFit'])}
      {flags(reading, [mode.startsWith('strip') ? 'stripCrop' : 'crop'])}
      <CropNote reading={reading} />
      {mode.startsWith('paged') && ranges(reading, ['pageMargin'])}
      {mode === 'strip' && ranges(reading, ['stripMost'])}
      {mode.startsWith('strip') && ranges(reading, ['padding', 'gap'])}
      {ranges(reading, ['step'])}
    </Group>
  );
};

export const SettingsPanel = ({ reading }: Props) => {
  const isStrip = reading.layout.value.mode.startsWith('strip');
  const isReset = useSignal(false);
  return (
    <Panel
      title={r.bar.settings}
      kind="side"
      onClose={() => {
        reading.panel.value = null;
      }}
    >
      <TargetFields reading={reading} />
      <LayoutGroup reading={reading} />
      <SizeGroup reading={reading} />
      <Group title={r.groups.look}>
        {choices(reading, ['background', 'bar'])}
        {reading.stored.shown.value.bar !== 'hidden' && ranges(reading, ['barSize'])}
        {flags(reading, ['pageNumber', 'animate', 'awake', 'ink'])}
        {ranges(reading, ['flashEvery'])}
      </Group>
      <Group title={r.groups.colour}>
        {ranges(reading, ['brightness', 'contrast', 'saturation', 'sepia', 'grey', 'hue'])}
        {flags(reading, ['invert'])}
      </Group>
      <TouchGroup reading={reading} />
      <Group title={r.groups.auto}>
        {ranges(reading, isStrip ? ['autoSpeed'] : ['autoSeconds'])}
        <button
          type="button"
          class="button"
          onClick={() => {
            reading.panel.value = null;
            run(reading, 'auto-scroll');
          }}
        >
          {reading.isAutoAdvancing.value ? r.note.stop : r.note.start}
        </button>
      </Group>
      <Group title={r.groups.books}>{flags(reading, ['skipDuplicates', 'skipRead'])}</Group>
      <IncognitoField reading={reading} />
      <button
        type="button"
        class="button"
        onClick={() => {
          reading.stored.reset();
          isReset.value = true;
        }}
      >
        {r.target.reset}
      </button>
      <p class="hint" role="status">
        {isReset.value ? r.target.wasReset : ''}
      </p>
    </Panel>
  );
};
