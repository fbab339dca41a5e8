// Preferences and reader profiles in the wire format.
import type { Preference } from '../../../core/settings/preferences.js';
import type { ReaderProfile } from '../../../core/settings/reader-profiles.js';
import type { Wire } from '../../surface/wire.js';
import type { Preference as PreferenceSchema, ReaderProfile as ReaderProfileSchema } from '../schemas/preferences.js';
import { instant } from './time.js';

type Shown = Wire<typeof PreferenceSchema>;

const typeOf = (value: unknown): Shown['valueType'] => {
  if (typeof value === 'string') return 'string';
  if (typeof value === 'boolean') return 'boolean';
  if (typeof value !== 'number') return 'json';
  return Number.isInteger(value) ? 'integer' : 'float';
};

/** UserPreferenceDto. */
export const preferenceView = ({ key, value, updatedAt }: Preference): Shown => ({
  key,
  value,
  valueType: typeOf(value),
  updatedAt: instant(updatedAt),
});

export const profileView = (profile: ReaderProfile): Wire<typeof ReaderProfileSchema> => ({
  id: profile.id,
  seriesId: profile.seriesId,
  libraryId: profile.libraryId,
  device: profile.device,
  value: profile.value,
  createdAt: instant(profile.createdAt),
  updatedAt: instant(profile.updatedAt),
});
