// The caches of PDF documents: cached pages, counted and removed at once or by a task, and the documents that threads hold open.
import { BOOK_PATH } from '../catalog/books.js';
import { andVisibleRow, unknownRow } from '../catalog/public-ids.js';
import type { Clock } from '../engine/clock.js';
import { DOCUMENT_IDLE_MS, type DocumentCounts, type OpenDocument } from '../engine/open-documents.js';
import type { Pool } from '../engine/pool.js';
import { AppError } from '../model/errors.js';
import { bytesOfUuid, uuidOfHex } from '../model/ids.js';
import type { Viewer } from '../model/viewer.js';
import {
  countPdfPages,
  type PdfPages,
  type PdfPagesParts,
  type RemovedPages,
  removePdfPages,
} from '../pages/pdf-cache.js';
import type { Db } from '../store/db.js';
import type { TaskOptions, TaskRunner } from '../tasks/runner.js';
import type { TaskType } from '../tasks/task.js';
import { UPKEEP_LANE } from './series-tasks.js';

const TYPE = 'cleanup_pdf_cache';
const PRIORITY = 100;
const DAY_MS = 24 * 60 * 60 * 1000;

export interface PdfCacheParts extends PdfPagesParts {
  readonly db: Db;
  readonly clock: Clock;
  readonly pool: Pick<Pool, 'documents'>;
  readonly settings: { value(key: 'pdf_cache.max_age_days'): string };
}

export interface ShownDocument extends OpenDocument {
  readonly bookId: string;
}

export interface Documents extends DocumentCounts {
  readonly capacity: number;
  readonly open: number;
  readonly idleMs: number;
  /** Those of books that the viewer sees. */
  readonly entries: readonly ShownDocument[];
}

const refuse: NonNullable<TaskType['refuse']> = ({ permissions }) => {
  if (!permissions.has('SystemAdmin'))
    throw new AppError('Forbidden', 'Cleaning up requires the permission SystemAdmin.');
};

export class PdfCache {
  readonly #parts: PdfCacheParts;
  readonly #tasks: TaskRunner;

  constructor(parts: PdfCacheParts, tasks: TaskRunner) {
    this.#parts = parts;
    this.#tasks = tasks;
    tasks.register(TYPE, {
      lane: UPKEEP_LANE,
      refuse,
      run: async ({ signal }) => {
        const { pages, bytes } = await removePdfPages(parts, parts.clock.now() - this.maxAgeDays * DAY_MS, signal);
        return { files_deleted: pages, bytes_reclaimed: bytes };
      },
    });
  }

  get maxAgeDays(): number {
    return Number(this.#parts.settings.value('pdf_cache.max_age_days'));
  }

  count(signal: AbortSignal): Promise<PdfPages> {
    return countPdfPages(this.#parts, signal);
  }

  /** Age of the oldest page in whole days. */
  ageDays({ oldest }: PdfPages): number | null {
    return oldest === null ? null : Math.max(0, Math.floor((this.#parts.clock.now() - oldest) / DAY_MS));
  }

  clear(signal: AbortSignal): Promise<RemovedPages> {
    return removePdfPages(this.#parts, null, signal);
  }

  /** Returns the id of the task. */
  async add(viewer: Viewer, options: TaskOptions = {}): Promise<string> {
    refuse(viewer, { target: null, parameters: {} });
    return this.enqueue(options);
  }

  /** For a schedule. */
  enqueue(options: TaskOptions = {}): Promise<string> {
    return this.#tasks.enqueue(TYPE, null, {}, { priority: PRIORITY, ...options });
  }

  async documents(viewer: Viewer): Promise<Documents> {
    const { documents } = this.#parts.pool;
    const open = await documents.all();
    const found = await Promise.all(open.map((one) => this.#shown(one, viewer)));
    return {
      ...documents.counts,
      capacity: documents.capacity,
      open: open.length,
      idleMs: DOCUMENT_IDLE_MS,
      entries: found.flatMap((one) => one ?? []),
    };
  }

  closeAll(): Promise<number> {
    return this.#parts.pool.documents.close(() => true);
  }

  /** NotFound for a book that the viewer does not see. */
  async closeOf(bookId: string, viewer: Viewer): Promise<number> {
    const [row] = await this.#parts.db.all<{ path: string }>(
      `SELECT ${BOOK_PATH} AS path FROM book b JOIN library l ON l.id = b.library_id AND l.removing = 0
         JOIN folder f ON f.id = b.folder_id WHERE b.uuid = ?${andVisibleRow(viewer, 'book', 'b')}`,
      [bytesOfUuid(bookId)],
    );
    if (row === undefined) throw unknownRow('book');
    return this.#parts.pool.documents.close(({ path }) => path === row.path);
  }

  async #shown(one: OpenDocument, viewer: Viewer): Promise<ShownDocument | undefined> {
    const at = one.path.lastIndexOf('/');
    const [folder, file] = [one.path.slice(0, at), one.path.slice(at + 1)];
    const [row] = await this.#parts.db.all<{ hex: string }>(
      `SELECT lower(hex(b.uuid)) AS hex FROM library l JOIN folder f ON f.library_id = l.id
         AND f.path = CASE WHEN ?1 = l.root THEN '' ELSE substr(?1, length(l.root) + 2) END
         JOIN book b ON b.folder_id = f.id AND b.file_name = ?2
         WHERE l.removing = 0 AND (?1 = l.root OR substr(?1, 1, length(l.root) + 1) = l.root || '/')${andVisibleRow(viewer, 'book', 'b')}`,
      [folder, file],
    );
    return row === undefined ? undefined : { ...one, bookId: uuidOfHex(row.hex) };
  }
}
