// Profiles of the reader: what a person set for a series, for a library or for everything, on one kind of device or on any, as one whole.
import { DEFAULTS, type Setting, type Settings, settingsIn } from './settings.js';

export const SCOPES = ['series', 'library', 'everything'] as const;
export type Scope = (typeof SCOPES)[number];

export const DEVICES = ['phone', 'tablet', 'desktop'] as const;
export type Device = (typeof DEVICES)[number];

/** As the server lists those that apply to a series on a kind of device. */
export interface StoredProfile {
  readonly id: string;
  readonly seriesId: string | null;
  readonly libraryId: string | null;
  readonly device: string | null;
  readonly value: unknown;
}

/** Where a change is stored. */
export interface Target {
  readonly scope: Scope;
  /** Null for any. */
  readonly device: string | null;
}

export const targetOf = ({ seriesId, libraryId, device }: StoredProfile): Target => ({
  scope: seriesId !== null ? 'series' : libraryId !== null ? 'library' : 'everything',
  device,
});

const rankOf = ({ scope, device }: Target): number => SCOPES.indexOf(scope) * 2 + (device === null ? 1 : 0);

const byRank = (a: StoredProfile, b: StoredProfile): number => rankOf(targetOf(a)) - rankOf(targetOf(b));

/** The more specific wins, setting by setting. */
export const merged = (profiles: readonly StoredProfile[]): Settings =>
  Object.assign(
    { ...DEFAULTS },
    ...[...profiles]
      .sort(byRank)
      .reverse()
      .map(({ value }) => settingsIn(value)),
  );

const isMoreSpecific = (profile: StoredProfile, target: Target): boolean => rankOf(targetOf(profile)) < rankOf(target);

/** The settings at a target, without those of more specific profiles. */
export const settingsAt = (profiles: readonly StoredProfile[], target: Target): Settings =>
  merged(profiles.filter((profile) => !isMoreSpecific(profile, target)));

/** What overrides a value: the series, the library, or this kind of device within the same scope. */
export type OverriddenBy = Exclude<Scope, 'everything'> | 'device';

/** What overrides the value of a target in the open book; null if nothing does. */
export const overriddenBy = (
  profiles: readonly StoredProfile[],
  target: Target,
  setting: Setting,
): OverriddenBy | null => {
  const [nearest] = profiles
    .filter((profile) => isMoreSpecific(profile, target) && setting in settingsIn(profile.value))
    .sort(byRank);
  if (nearest === undefined) return null;
  const { scope } = targetOf(nearest);
  return scope === target.scope || scope === 'everything' ? 'device' : scope;
};

/** Shifts of single books do not count: they say nothing about where the user changes the settings of a series. */
const isForSeries = (profile: StoredProfile): boolean =>
  targetOf(profile).scope === 'series' && Object.keys(settingsIn(profile.value)).some((key) => key !== 'shifted');

/** Where this series already has settings, so that they are changed where they were made. */
export const seriesTarget = (profiles: readonly StoredProfile[], device: Device): Target => {
  const series = profiles.find(isForSeries);
  return series === undefined ? { scope: 'series', device } : targetOf(series);
};

const isSame = (a: Target, b: Target): boolean => a.scope === b.scope && a.device === b.device;

export const profileAt = (profiles: readonly StoredProfile[], target: Target): StoredProfile | undefined =>
  profiles.find((profile) => isSame(targetOf(profile), target));

/** What a target says by itself, for an entry that a change is added to. */
export const ownSettings = (profiles: readonly StoredProfile[], target: Target): Partial<Settings> =>
  settingsIn(profileAt(profiles, target)?.value);

/** What is left at a target once its settings are reset: the shifts of single books. */
export const resetSettings = (profiles: readonly StoredProfile[], target: Target): Partial<Settings> => {
  const { shifted } = ownSettings(profiles, target);
  return shifted === undefined ? {} : { shifted };
};

/**
 * What to store at a target so that a change takes effect there. What is more specific would hide it, so the change is taken out of that:
 * whoever changes a setting for everything sees it change.
 */
export const changed = (
  profiles: readonly StoredProfile[],
  target: Target,
  change: Partial<Settings>,
): readonly { readonly target: Target; readonly value: Partial<Settings> }[] => {
  const hiding = profiles
    .filter((profile) => isMoreSpecific(profile, target))
    .map((profile) => ({ target: targetOf(profile), before: settingsIn(profile.value) }))
    .filter(({ before }) => Object.keys(change).some((key) => key in before))
    .map(({ target: at, before }) => ({
      target: at,
      value: Object.fromEntries(Object.entries(before).filter(([key]) => !(key in change))) as Partial<Settings>,
    }));
  return [{ target, value: { ...ownSettings(profiles, target), ...change } }, ...hiding];
};

/** As stored in the browser. */
export const targetText = ({ scope, device }: Target): string => `${scope} ${device === null ? 'any' : 'one'}`;

/** `device`: the current kind of device. */
export const targetIn = (text: string | null, device: Device): Target | undefined => {
  const [word, devices] = (text ?? '').split(' ');
  const scope = SCOPES.find((one) => one === word);
  return scope === undefined ? undefined : { scope, device: devices === 'any' ? null : device };
};

/** The narrowest side of a phone, and of a tablet, in CSS pixels. */
const PHONE_MAX = 600;
const TABLET_MAX = 1100;

/** `isCoarse`: it is used with fingers. */
export const deviceOf = (width: number, height: number, isCoarse: boolean): Device => {
  const side = Math.min(width, height);
  if (side < PHONE_MAX && (isCoarse || width < PHONE_MAX)) return 'phone';
  return isCoarse && side < TABLET_MAX ? 'tablet' : 'desktop';
};
