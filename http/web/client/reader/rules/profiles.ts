// Profiles of the reader: what a person set for a series, for a library or for everything, on one kind of device or on any, as one whole.
import { DEFAULTS, type Settings, settingsIn } from './settings.js';

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

const isSame = (a: Target, b: Target): boolean => a.scope === b.scope && a.device === b.device;

export const profileAt = (profiles: readonly StoredProfile[], target: Target): StoredProfile | undefined =>
  profiles.find((profile) => isSame(targetOf(profile), target));

/** What a target says by itself, for an entry that a change is added to. */
export const ownSettings = (profiles: readonly StoredProfile[], target: Target): Partial<Settings> =>
  settingsIn(profileAt(profiles, target)?.value);

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
    .filter((profile) => rankOf(targetOf(profile)) < rankOf(target))
    .map((profile) => ({ target: targetOf(profile), before: settingsIn(profile.value) }))
    .filter(({ before }) => Object.keys(change).some((key) => key in before))
    .map(({ target: at, before }) => ({
      target: at,
      value: Object.fromEntries(Object.entries(before).filter(([key]) => !(key in change))) as Partial<Settings>,
    }));
  return [{ target, value: { ...ownSettings(profiles, target), ...change } }, ...hiding];
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
