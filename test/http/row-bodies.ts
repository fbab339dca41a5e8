// Bodies that rows accept, and ids that name nothing.
import { partForm } from '../form.js';

export const UNKNOWN_ID = '01890000-0000-7000-8000-000000000000';

/** No image: a row that gets so far refuses it. */
export const COVER_FORM = partForm('Content-Disposition: form-data; name="file"', 'x');

/** Bodies of the rows for which `name` is not enough. */
const BODIES: Readonly<Record<string, unknown>> = {
  'progress.put': { current_page: 1 },
  'books.genres.put': { genres: ['x'] },
  'books.tags.put': { tags: ['x'] },
  'series.genres.put': { genres: ['x'] },
  'series.tags.put': { tags: ['x'] },
  'series.titles.add': { label: 'x', title: 'x' },
  'progression.put': { locator: {} },
  'collections.series.add': { seriesIds: [UNKNOWN_ID] },
  'collections.series.order': { seriesIds: [UNKNOWN_ID] },
  'readlists.books.add': { bookIds: [UNKNOWN_ID] },
  'readlists.books.order': { bookIds: [UNKNOWN_ID] },
  'sharing.series.put': { sharingTagIds: [UNKNOWN_ID] },
  'sharing.series.add': { sharingTagId: UNKNOWN_ID },
  'users.grants.put': { sharingTagId: UNKNOWN_ID, accessMode: 'deny' },
  'groups.grants.set': { sharingTagId: UNKNOWN_ID, accessMode: 'deny' },
  'groups.members.add': { userIds: [UNKNOWN_ID] },
  'groups.mappings.add': { oidcGroupName: 'x' },
  'sign-on.exchange': { code: 'x', codeVerifier: 'x' },
  'preferences.put': { value: 'x' },
  'preferences.put-many': { preferences: { 'ui.theme': 'dark' } },
  'profiles.put': { seriesId: UNKNOWN_ID, value: {} },
  'settings.put': { value: 'x' },
  'settings.bulk': { updates: [] },
  'setup.settings': { settings: {}, skipConfiguration: true },
  'books.bulk-read': { bookIds: [UNKNOWN_ID] },
  'books.bulk-unread': { bookIds: [UNKNOWN_ID] },
  'series.bulk-read': { seriesIds: [UNKNOWN_ID] },
  'series.bulk-unread': { seriesIds: [UNKNOWN_ID] },
  'books.covers.generate': { bookIds: [UNKNOWN_ID] },
  'series.covers.generate': { seriesIds: [UNKNOWN_ID] },
  'series.titles.reprocess': { seriesIds: [UNKNOWN_ID] },
  'libraries.preview': { path: '/no/such/folder' },
  'tasks.create': { taskType: { type: 'analyze_book', bookId: UNKNOWN_ID } },
  'comics.users.create': { email: 'x@example.org', password: 'gulls over the pier 4' },
  'comics.users.password': { password: 'gulls over the pier 4' },
  'users.create': { username: 'x', email: 'x@example.org', password: 'gulls over the pier 4' },
  'books.covers.source': { source: 'default' },
  'series.covers.source': { source: 'default' },
  'collections.covers.source': { source: 'default' },
  'readlists.covers.source': { source: 'default' },
};

export const bodyOf = ({ id }: { readonly id: string }): unknown =>
  id.endsWith('.covers.upload') ? COVER_FORM : (BODIES[id] ?? { name: 'x' });
