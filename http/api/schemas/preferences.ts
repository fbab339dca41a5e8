// Preferences and reader profiles, as returned by the API.
import Type from 'typebox';
import { id, orNull, record, text, time, whole, word, yes } from '../../surface/wire.js';
import { pageOf } from './paging.js';

/** UserPreferenceDto. */
export const Preference = record('UserPreference', {
  key: text('reader.page_fit'),
  value: Type.Unknown({ examples: ['width'], description: 'Any JSON, as stored.' }),
  valueType: word(['string', 'integer', 'float', 'boolean', 'json']),
  updatedAt: time(),
});

export const Preferences = record('UserPreferences', { preferences: Type.Array(Preference) });

export const StoredPreferences = record('StoredPreferences', {
  updated: whole(2, 'How many were stored.'),
  preferences: Type.Array(Preference),
});

export const DeletedPreference = record('DeletedPreference', {
  deleted: yes(true, 'False if it was not set.'),
  message: text("Preference 'reader.page_fit' was reset to default"),
});

/** How a user wants to read something on a kind of device. */
export const ReaderProfile = record('ReaderProfile', {
  id: id(),
  seriesId: orNull(id('A profile without a series and a library is for everything.')),
  libraryId: orNull(id()),
  device: orNull(text('tablet', 'The kind of device; null for any.')),
  value: Type.Unknown({ examples: [{ fit: 'width' }], description: 'Any JSON, as stored.' }),
  createdAt: time(),
  updatedAt: time(),
});

export const ReaderProfilePage = pageOf('ReaderProfilePage', ReaderProfile);
