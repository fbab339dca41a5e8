// Kinds of fields that records of the comic-server API share.
import Type, { type TProperties } from 'typebox';
import { record, text, yes } from '../../surface/wire.js';

/** Without hyphens; requests may have them. */
export const id = () => Type.String({ pattern: '^[0-9a-f]{32}$', examples: ['0198c7a26f3e7b519c0d2a4e6f8b1d35'] });

/** In UTC, without a fraction. */
export const moment = () =>
  Type.String({ pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\dZ$', examples: ['2026-01-31T12:00:00Z'] });

export const date = () => Type.String({ pattern: '^\\d{4}-\\d\\d-\\d\\d$', examples: ['2026-01-31'] });

export const Author = record('ComicAuthor', { name: text('Ann Writer'), role: text('writer', 'In lower case.') });
export const WebLink = record('ComicWebLink', { label: text('comicvine'), url: text('https://example.org/4050-1') });

/** Whether a field stays as a user wrote it, by the name of the field. */
export const lockOf = () => yes(false);

/** What an error says. */
export const failureFields: TProperties = {
  timestamp: text('2026-01-31T12:00:00.000Z'),
  status: Type.Integer({ examples: [404] }),
  error: text('NotFound'),
  message: text('There is no book with this id.'),
  path: text('/komga/api/v1/books/0198c7a26f3e7b519c0d2a4e6f8b1d35'),
  details: Type.Unknown(),
};
