// What a row answers when it succeeds, by status: JSON of a schema, bytes of some media types, or nothing.
import type { TSchema } from 'typebox';
import { BOOK_FORMATS, FORMATS } from '../../core/model/formats.js';

export interface Media {
  /** `image/*` stands for any image; a star in place of both parts for anything. */
  readonly media: readonly [string, ...string[]];
  /** Of a stream: what the data of its events may be, as JSON. */
  readonly events?: readonly TSchema[];
}

export type Content = TSchema | Media | null;

export type Replies = Readonly<Record<number, Content>>;

export const media = (...types: Media['media']): Media => ({ media: types });

/** Server-sent events (HTML standard, 9.2). */
export const eventStream = (...events: readonly TSchema[]): Media => ({ media: ['text/event-stream'], events });

export const isMedia = (content: Exclude<Content, null>): content is Media => 'media' in content;

/** An answer without a body. */
export const EMPTY: Replies = { 204: null };

/** A picture, or nothing when the client has it already. */
export const IMAGE: Replies = { 200: media('image/*'), 304: null };

/** A file that has not been analysed yet may be of any type. */
export const BOOK_FILE = media('application/octet-stream', ...BOOK_FORMATS.map((format) => FORMATS[format].mediaType));

/** The same under another status. */
export const ok = (schema: TSchema): Replies => ({ 200: schema });
export const made = (schema: TSchema): Replies => ({ 201: schema });
