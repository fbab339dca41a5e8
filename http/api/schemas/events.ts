// Payloads of event streams. Ids appear in both spellings, since some clients read one and some the other.
import Type, { type TSchema } from 'typebox';
import { id, number, orNull, record, text, time, whole, word } from '../../surface/wire.js';
import { Scan } from './library.js';
import { TASK_STATES } from './tasks.js';

/** A snake_case field name and its camelCase spelling. */
export type BothOf<N extends string> = N | Camel<N>;
type Camel<N extends string> = N extends `${infer First}_${infer Rest}` ? `${First}${Capitalize<Rest>}` : N;

export const camel = <N extends string>(name: N): Camel<N> =>
  name.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase()) as Camel<N>;

const both = <N extends string, S extends TSchema>(name: N, schema: S): Record<BothOf<N>, S> =>
  ({ [name]: schema, [camel(name)]: schema }) as Record<BothOf<N>, S>;

/** The user who caused it is sent only to administrators and to that user. */
const COMMON = {
  timestamp: time(),
  user_id: Type.Optional(id()),
  userId: Type.Optional(id()),
};

const LIBRARY = both('library_id', id());
const SERIES = { ...both('series_id', id()), ...LIBRARY };
const FIELDS = { fields: Type.Optional(Type.Array(text('title'))) };

export const BookEvent = record('BookEvent', {
  type: word(['book_created', 'book_updated', 'book_deleted']),
  ...both('book_id', id()),
  ...SERIES,
  ...FIELDS,
  ...COMMON,
});

export const SeriesEvent = record('SeriesEvent', {
  type: word(['series_created', 'series_updated', 'series_deleted']),
  ...SERIES,
  ...FIELDS,
  ...COMMON,
});

export const LibraryEvent = record('LibraryEvent', {
  type: word(['library_created', 'library_updated', 'library_deleted']),
  ...LIBRARY,
  ...COMMON,
});

export const CoverEvent = record('CoverEvent', {
  type: word(['cover_updated']),
  ...both('entity_type', word(['book', 'series', 'library'])),
  ...both('entity_id', id()),
  ...LIBRARY,
  ...COMMON,
});

/** Told to nobody but the user who read. */
export const ReadEvent = record('ReadEvent', {
  type: word(['read_progress_changed']),
  ...both('book_id', orNull(id('Null if so many books of the series changed that they are not reported one by one.'))),
  ...both('series_id', id()),
  ...both('current_page', orNull(whole(12, 'Starts at 1; null if the book is unread now.'))),
  ...both('page_offset', orNull(number(0.48, 'The share of that page above the window; null when it is not known.'))),
  completed: Type.Boolean(),
  ...both('updated_at', orNull(time())),
  device: orNull(text('Firefox on the tablet', 'What it was read on: the name of an API key, or the User-Agent.')),
  timestamp: time(),
});

export const TaskEvent = record('TaskEvent', {
  type: word(['task_progress']),
  ...both('task_id', id()),
  ...both('task_type', text('scan_library')),
  status: word(TASK_STATES),
  progress: Type.Optional(
    record('TaskEventProgress', { current: whole(12), total: whole(54), message: text('12 of 54') }),
  ),
  error: orNull(text('The disk does not answer.')),
  ...both('started_at', time()),
  ...both('completed_at', orNull(time())),
  ...both('library_id', Type.Optional(id())),
  ...both('series_id', Type.Optional(id())),
  ...both('book_id', Type.Optional(id())),
});

export const ScanEvent = record('ScanEvent', {
  type: word(['scan_progress']),
  library_id: id(),
  ...Scan.properties,
});

/** Earlier events may no longer hold: the client has to reload everything. */
export const ResyncEvent = record('ResyncEvent', { type: word(['resync']), timestamp: time() });

/** By the first word of their type. */
export const EVENTS = {
  book: BookEvent,
  series: SeriesEvent,
  library: LibraryEvent,
  cover: CoverEvent,
  read: ReadEvent,
  task: TaskEvent,
  scan: ScanEvent,
  resync: ResyncEvent,
} as const;
