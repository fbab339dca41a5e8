// Which rows transactions changed, so that a set of keys that is at hand is corrected instead of asked for again. Triggers that live on the
// writing connection note the rows, whatever wrote them; what was noted is told when the transaction is committed.
import type { Tx, Watch } from '../../store/db.js';

/** What a row is to lists: a row of that kind changed, or what users did with it. */
export type RowKind = 'book' | 'series';
const KINDS = ['book', 'series', 'book read', 'series read', 'everything'] as const;
type Kind = (typeof KINDS)[number];

/** Tables whose changes are noted row by row, or that follow from such. A write to any other makes sets old as wholes. */
export const WATCHED: readonly string[] = [
  'book',
  'series',
  'folder',
  'library',
  'genre',
  'tag',
  'book_genre',
  'book_tag',
  'series_genre',
  'series_tag',
  'series_sharing_tag',
  'collection',
  'collection_series',
  'read_list',
  'read_list_book',
  'read_progress',
  'series_reading',
  'book_metadata',
  'search_due',
  'book_text',
  'book_summary',
  'series_text',
  'book_words',
  'series_words',
  'book_trigram',
  'series_title',
];

const note = (kind: Kind, id: string): string =>
  `INSERT INTO changed_row (kind, id) VALUES (${KINDS.indexOf(kind)}, ${id});`;
const noteBooksOf = (series: string): string =>
  `INSERT INTO changed_row (kind, id) SELECT ${KINDS.indexOf('book')}, b.id FROM book b WHERE b.series_id = ${series};`;

let triggers = 0;
const trigger = (table: string, event: string, body: string, when = ''): string => {
  triggers += 1;
  return `CREATE TEMP TRIGGER changed_${triggers} AFTER ${event} ON main.${table} ${when} BEGIN ${body} END;`;
};

/** The same for what came, changed and went. */
const always = (table: string, body: (row: 'new' | 'old') => string): readonly string[] => [
  trigger(table, 'INSERT', body('new')),
  trigger(table, 'UPDATE', body('old') + body('new')),
  trigger(table, 'DELETE', body('old')),
];

const differs = (...columns: readonly string[]): string =>
  `WHEN ${columns.map((column) => `old.${column} IS NOT new.${column}`).join(' OR ')}`;

/** A name that many rows are found by: all of them are asked for again. */
const renamed = (table: string, ...columns: readonly string[]): string =>
  trigger(table, `UPDATE OF ${columns.join(', ')}`, note('everything', '0'), differs(...columns));

/**
 * Columns of a book that conditions and orders look at; titles and what else is searched come through search_due. A scan marks books and
 * notes attempts without any list changing.
 */
const LISTED = [
  'uuid',
  'library_id',
  'series_id',
  'folder_id',
  'file_name',
  'file_size',
  'file_mtime',
  'format',
  'title_sort',
  'number',
  'page_count',
  'analysis_error',
  'deleted',
  'created_at',
  'released',
];

const SETUP = [
  'CREATE TEMP TABLE changed_row (kind INTEGER NOT NULL, id INTEGER NOT NULL);',
  trigger('book', 'INSERT', note('book', 'new.id')),
  trigger('book', `UPDATE OF ${LISTED.join(', ')}`, note('book', 'new.id'), differs(...LISTED)),
  trigger('book', 'DELETE', note('book', 'old.id')),
  trigger('series', 'INSERT', note('series', 'new.id')),
  trigger('series', 'UPDATE', note('series', 'new.id')),
  trigger('series', 'DELETE', note('series', 'old.id')),
  // Books are found by the library of their series, sorted by its name and hidden by its age rating.
  trigger(
    'series',
    'UPDATE OF library_id, name_sort, uuid, age_rating',
    noteBooksOf('new.id'),
    differs('library_id', 'name_sort', 'uuid', 'age_rating'),
  ),
  renamed('library', 'root', 'uuid'),
  renamed('folder', 'path', 'library_id'),
  renamed('genre', 'name_key'),
  renamed('tag', 'name_key'),
  // What is waiting to be indexed is what words and folded texts will change of.
  trigger('search_due', 'INSERT', 'INSERT INTO changed_row (kind, id) VALUES (new.kind, new.id);'),
  ...always('book_genre', (row) => note('book', `${row}.book_id`)),
  ...always('book_tag', (row) => note('book', `${row}.book_id`)),
  ...always('series_genre', (row) => note('series', `${row}.series_id`) + noteBooksOf(`${row}.series_id`)),
  ...always('series_tag', (row) => note('series', `${row}.series_id`) + noteBooksOf(`${row}.series_id`)),
  ...always('series_sharing_tag', (row) => note('series', `${row}.series_id`) + noteBooksOf(`${row}.series_id`)),
  ...always('collection_series', (row) => note('series', `${row}.series_id`)),
  ...always('read_list_book', (row) => note('book', `${row}.book_id`)),
  ...always('read_progress', (row) => note('book read', `${row}.book_id`)),
  ...always('series_reading', (row) => note('series read', `${row}.series_id`)),
].join('\n');

type ChangedRows = Readonly<Partial<Record<Kind, readonly number[]>>>;

/** Transactions that are remembered; a set that is older is asked for again. */
const REMEMBERED = 500;
/** Beyond so many rows asking again is as quick. */
const ROWS_MAX = 4000;

export class Changes {
  readonly watch: Watch = {
    setup: SETUP,
    take: async (tx) => {
      const noted = await takeNoted(tx);
      this.#isSettled = false;
      return () => this.#tell(noted);
    },
  };
  readonly #log: ChangedRows[] = [];
  #position = 0;
  #isSettled = true;

  /** Whether no transaction is at its end: readers may see that one before it is told of. One that failed there counts until the next. */
  get isSettled(): boolean {
    return this.#isSettled;
  }

  /** How many transactions changed something so far. */
  get position(): number {
    return this.#position;
  }

  /** Rows of a kind that changed behind a position; undefined when that is not known or is too much. */
  since(position: number, kinds: readonly Kind[]): Uint32Array | undefined {
    const count = this.#position - position;
    if (count > this.#log.length) return undefined;
    const keys = new Set<number>();
    for (const noted of count === 0 ? [] : this.#log.slice(-count)) {
      if (noted.everything !== undefined) return undefined;
      for (const kind of kinds) for (const key of noted[kind] ?? []) keys.add(key);
      if (keys.size > ROWS_MAX) return undefined;
    }
    return Uint32Array.from(keys);
  }

  #tell(noted: ChangedRows): void {
    this.#isSettled = true;
    if (Object.keys(noted).length === 0) return;
    this.#position += 1;
    this.#log.push(noted);
    if (this.#log.length > REMEMBERED) this.#log.shift();
  }
}

const takeNoted = async (tx: Tx): Promise<ChangedRows> => {
  const rows = await tx.all<{ kind: number; count: number; keys: string }>(
    `SELECT kind, count(DISTINCT id) AS count, CASE WHEN count(DISTINCT id) <= ${ROWS_MAX} THEN json_group_array(DISTINCT id) END AS keys
     FROM changed_row GROUP BY kind`,
  );
  if (rows.length === 0) return {};
  await tx.run('DELETE FROM changed_row');
  if (rows.some(({ count }) => count > ROWS_MAX)) return { everything: [0] };
  return Object.fromEntries(rows.map(({ kind, keys }) => [KINDS[kind], JSON.parse(keys) as number[]]));
};
