// What the page path needs to know about a book: path, content version, page table. A bounded cache of the most used ones; the rest is one
// query away. Listens to the feed: a changed book is dropped before its transaction resolves.
import { BOOK_PATH } from '../catalog/books.js';
import { unknownRow } from '../catalog/public-ids.js';
import { type BoundedMap, boundedByBytes } from '../model/bounded-map.js';
import type { ErrorKind } from '../model/errors.js';
import type { BookFormat } from '../model/formats.js';
import { bytesOfUuid, uuidOfHex } from '../model/ids.js';
import type { EpubKind } from '../model/outline.js';
import { PageTable } from '../model/page-table.js';
import { remadePageTable } from '../model/stored-pages.js';
import { STORED_RULES } from '../model/stored-rules.js';
import type { Db } from '../store/db.js';
import { ASPECTS, type Batch, concerns, type Listener } from '../store/feed.js';
import { versionOf } from './version.js';

export interface BookFile {
  readonly key: number;
  /** Decides, with `neverReadable`, who may see it. */
  readonly seriesKey: number;
  /** No analysis has been able to read it yet. */
  readonly neverReadable: boolean;
  readonly id: string;
  readonly path: string;
  /** The folder of its library. */
  readonly root: string;
  readonly title: string;
  /** Decided by its content once it has been analysed, by its name before. */
  readonly format: BookFormat;
  /** Null for what is no EPUB, or was not analysed. */
  readonly epubKind: EpubKind | null;
  readonly size: number;
  readonly mtimeMs: number;
  readonly version: string;
  readonly deleted: boolean;
  readonly analyzed: boolean;
  readonly analysisError: string | null;
  /** The error kind of that fault. */
  readonly analysisKind: ErrorKind | null;
  /** Null while the book has never been analysed, or when none of its pages can be read. */
  readonly table: PageTable | null;
  /** The id of the cover that was uploaded for it, if that is shown. */
  readonly cover: string | null;
}

interface Row {
  readonly id: number;
  /** In hex. */
  readonly uuid: string;
  readonly series: number;
  readonly never_readable: number;
  readonly path: string;
  readonly root: string;
  readonly title: string;
  readonly format: BookFormat;
  readonly epubKind: EpubKind | null;
  readonly size: number;
  readonly mtime: number;
  readonly revision: number;
  readonly deleted: number;
  readonly analyzed: number;
  readonly error: string | null;
  readonly kind: ErrorKind | null;
  readonly page_table: Buffer | null;
  readonly rule: number | null;
  /** In hex. */
  readonly cover: string | null;
}

/** Memory of a cached book in addition to its table: the strings, the object, the map entry. */
const BOOK_OVERHEAD_BYTES = 600;

/** Outdated tables are rebuilt in the background after an update; no one waits for that here. */
const tableOf = (blob: Buffer, rule: number | null): PageTable =>
  new PageTable(rule === STORED_RULES.pages ? blob : remadePageTable(blob));

const COLUMNS = `b.id, lower(hex(b.uuid)) AS uuid, b.series_id AS series, b.never_readable, ${BOOK_PATH} AS path, l.root, b.title, b.format, b.epub_kind AS epubKind, b.file_size AS size,
  b.file_mtime AS mtime, b.revision, b.deleted, b.analyzed, b.analysis_error AS error, b.analysis_kind AS kind, p.page_table, p.rule,
  (SELECT lower(hex(c.uuid)) FROM cover c WHERE c.book_id = b.id AND c.selected = 1) AS cover`;
const JOINED = `JOIN library l ON l.id = b.library_id AND l.removing = 0 JOIN folder f ON f.id = b.folder_id
  LEFT JOIN book_pages p ON p.book_id = b.id`;

const fileOf = (row: Row): BookFile => ({
  key: row.id,
  seriesKey: row.series,
  neverReadable: row.never_readable === 1,
  id: uuidOfHex(row.uuid),
  path: row.path,
  root: row.root,
  title: row.title,
  format: row.format,
  epubKind: row.epubKind,
  size: row.size,
  mtimeMs: row.mtime,
  version: versionOf(row.revision, row.size, row.mtime),
  deleted: row.deleted === 1,
  analyzed: row.analyzed === 1,
  analysisError: row.error,
  analysisKind: row.kind,
  table: row.page_table === null ? null : tableOf(row.page_table, row.rule),
  cover: row.cover === null ? null : uuidOfHex(row.cover),
});

const sizeOf = (file: BookFile): number => BOOK_OVERHEAD_BYTES + (file.table?.sizeBytes ?? 0);

/** The title is drawn on the cards of books without a picture. */
const REMEMBERED = ASPECTS.content | ASPECTS.text | ASPECTS.cover;

export class BookFiles implements Listener {
  readonly #db: Db;
  readonly #known: BoundedMap<string, BookFile>;
  readonly #byKey = new Map<number, BookFile>();
  /** The last batch that invalidated a book. */
  #stale = 0;

  constructor(db: Db, budgetBytes: number) {
    this.#db = db;
    const weigh = (file: BookFile): number => Math.min(sizeOf(file), budgetBytes); // a larger one is kept alone
    this.#known = boundedByBytes(budgetBytes, weigh, ({ key }) => this.#byKey.delete(key));
    db.feed.listen(this);
  }

  /** Without a query; undefined when the book is not cached. */
  remembered(id: string): BookFile | undefined {
    return this.#known.get(id);
  }

  async load(id: string): Promise<BookFile> {
    return this.remembered(id) ?? (await this.#query(id, true));
  }

  /** Not remembered: for whoever looks at one book after the other. */
  async glance(id: string): Promise<BookFile> {
    return this.#known.peek(id) ?? (await this.#query(id, false));
  }

  onBatch({ sequence, reports }: Batch): void {
    for (const report of reports) {
      if (report.change === 'created' || !concerns(report, 'book', REMEMBERED)) continue;
      this.#stale = sequence;
      if (report.keys === 'all') this.forget();
      else for (const key of report.keys) this.#drop(key);
    }
  }

  forget(): void {
    this.#known.clear();
    this.#stale = this.#db.feed.sequence;
  }

  #drop(key: number): void {
    const file = this.#byKey.get(key);
    if (file !== undefined) this.#known.delete(file.id);
  }

  /** As `glance`, for several at once; those that are gone are left out. */
  async glanceAll(ids: readonly string[]): Promise<ReadonlyMap<string, BookFile>> {
    const rows = await this.#db.all<Row>(
      `SELECT ${COLUMNS} FROM json_each(?) j CROSS JOIN book b ON b.uuid = unhex(j.value) ${JOINED}`,
      [JSON.stringify(ids.map((id) => id.replaceAll('-', '')))],
    );
    return new Map(rows.map((row) => [uuidOfHex(row.uuid), fileOf(row)]));
  }

  async #query(id: string, isRemembered: boolean): Promise<BookFile> {
    const { feed } = this.#db;
    const before = feed.sequence;
    const [row] = await this.#db.all<Row>(`SELECT ${COLUMNS} FROM book b ${JOINED} WHERE b.uuid = ?`, [
      bytesOfUuid(id),
    ]);
    if (row === undefined) throw unknownRow('book');
    const file = fileOf(row);
    if (isRemembered && this.#stale <= before && !feed.isPending) this.#remember(file);
    return file;
  }

  #remember(file: BookFile): void {
    this.#known.set(file.id, file); // drops an older one first
    this.#byKey.set(file.key, file);
  }
}
