// What users store for their clients, as answers show it.
import Type from 'typebox';
import { id, orNull, record, text, time, whole, word, yes } from '../../surface/wire.js';
import { pageOf } from './paging.js';

/** UserPreferenceDto. */
export const Preference = record('UserPreference', {
  key: text('reader.page_fit'),
  value: Type.Unknown({ examples: ['width'], description: 'As it was stored: any JSON.' }),
  valueType: word(['string', 'integer', 'float', 'boolean', 'json']),
  updatedAt: time(),
});

export const Preferences = record('UserPreferences', { preferences: Type.Array(Preference) });

export const StoredPreferences = record('StoredPreferences', {
  updated: whole(2, 'How many were stored.'),
  preferences: Type.Array(Preference),
});

export const DeletedPreference = record('DeletedPreference', {
  deleted: yes(true, 'False: there was none.'),
  message: text("Preference 'reader.page_fit' was reset to default"),
});

/** How a user wants to read something, on some devices. */
export const ReaderProfile = record('ReaderProfile', {
  id: id(),
  seriesId: orNull(id('Without a series and a library it is for everything.')),
  libraryId: orNull(id()),
  device: orNull(text('tablet', 'The kind of device; null for any.')),
  value: Type.Unknown({ examples: [{ fit: 'width' }], description: 'As it was stored: any JSON.' }),
  createdAt: time(),
  updatedAt: time(),
});

export const ReaderProfilePage = pageOf('ReaderProfilePage', ReaderProfile);
