// The settings of the reader as the server keeps them for a person: changed at once on the screen, and stored a moment later.
import { computed, type ReadonlySignal, signal } from '@preact/signals';
import { profilesPut } from '../state/api.js';
import { loadItem, saveItem } from '../state/local-storage.js';
import type { OpenBook } from './open-book.js';
import {
  changed,
  merged,
  type OverriddenBy,
  overriddenBy,
  ownSettings,
  profileAt,
  resetSettings,
  type StoredProfile,
  seriesTarget,
  settingsAt,
  type Target,
  targetIn,
  targetOf,
  targetText,
} from './rules/profiles.js';
import type { Setting, Settings } from './rules/settings.js';
import { withShift } from './rules/shifted-books.js';

export interface StoredSettings {
  readonly all: ReadonlySignal<Settings>;
  /** Where changes in the settings panel are stored. */
  readonly target: ReadonlySignal<Target>;
  /** The settings at the target, without those of more specific profiles. */
  readonly shown: ReadonlySignal<Settings>;
  isSetAtTarget(setting: Setting): boolean;
  overriddenBy(setting: Setting): OverriddenBy | null;
  /** Selects a target, also for books opened later. */
  choose(target: Target): void;
  /** The last change could not be stored. */
  readonly isUnstored: ReadonlySignal<boolean>;
  change(change: Partial<Settings>): void;
  /** Changes only the series, as shortcuts do, whatever the panel's target. */
  changeSeries(change: Partial<Settings>): void;
  /** Whether the pairs of this book are shifted by one page, on every device. */
  readonly isShifted: ReadonlySignal<boolean>;
  shift(isShifted: boolean): void;
  /** Forgets what was set at the target. */
  reset(): void;
  /** Stores at once what is still to be stored. */
  flush(): void;
}

const AFTER_MS = 500;

interface Ids {
  readonly seriesId: string;
  readonly libraryId: string;
}

const placeOf = (target: Target, { seriesId, libraryId }: Ids) => ({
  ...(target.scope === 'series' ? { seriesId } : {}),
  ...(target.scope === 'library' ? { libraryId } : {}),
  ...(target.device === null ? {} : { device: target.device }),
});

/** As the server will list it. */
const profileOf = (target: Target, value: Partial<Settings>, { seriesId, libraryId }: Ids): StoredProfile => ({
  id: '',
  seriesId: target.scope === 'series' ? seriesId : null,
  libraryId: target.scope === 'library' ? libraryId : null,
  device: target.device,
  value,
});

const nameOf = ({ scope, device }: Target): string => `${scope} ${device ?? ''}`;

/** Where shifted books are listed. */
const SERIES_ON_ANY: Target = { scope: 'series', device: null };

export const storedSettings = (opened: OpenBook, userId: string): StoredSettings => {
  const targetKey = `longbox.settings-target.${userId}`;
  const profiles = signal(opened.profiles);
  const target = signal(targetIn(loadItem(targetKey), opened.device) ?? seriesTarget(opened.profiles, opened.device));
  const isUnstored = signal(false);
  const due = new Map<string, Target>();
  let timer: ReturnType<typeof setTimeout> | undefined;

  const put = async (at: Target, keepalive: boolean): Promise<void> => {
    const value = profileAt(profiles.value, at)?.value ?? {};
    await profilesPut({ body: { ...placeOf(at, opened.book), value } }, { keepalive });
  };

  const store = async (keepalive: boolean): Promise<void> => {
    clearTimeout(timer);
    const targets = [...due.values()];
    due.clear();
    try {
      for (const at of targets) await put(at, keepalive);
      if (targets.length > 0) isUnstored.value = false;
    } catch {
      isUnstored.value = true;
      for (const at of targets) if (!due.has(nameOf(at))) due.set(nameOf(at), at);
    }
  };

  const set = (at: Target, value: Partial<Settings>): void => {
    const others = profiles.value.filter((profile) => nameOf(targetOf(profile)) !== nameOf(at));
    profiles.value = [...others, profileOf(at, value, opened.book)];
    due.set(nameOf(at), at);
    clearTimeout(timer);
    timer = setTimeout(() => void store(false), AFTER_MS);
  };

  const changeAt = (at: Target, change: Partial<Settings>): void => {
    for (const one of changed(profiles.value, at, change)) set(one.target, one.value);
  };

  const all = computed(() => merged(profiles.value));
  return {
    shown: computed(() => settingsAt(profiles.value, target.value)),
    isSetAtTarget: (setting) => setting in ownSettings(profiles.value, target.value),
    overriddenBy: (setting) => overriddenBy(profiles.value, target.value, setting),
    choose: (chosen) => {
      target.value = chosen;
      saveItem(targetKey, targetText(chosen));
    },
    all,
    target,
    isUnstored,
    change: (change) => changeAt(target.value, change),
    changeSeries: (change) => changeAt(seriesTarget(profiles.value, opened.device), change),
    isShifted: computed(() => all.value.shifted.includes(opened.book.id)),
    shift: (isShifted) => changeAt(SERIES_ON_ANY, { shifted: withShift(all.value.shifted, opened.book.id, isShifted) }),
    reset: () => set(target.value, resetSettings(profiles.value, target.value)),
    flush: () => void store(true),
  };
};
