// The analysis of all books of a library, or of those never analysed. The task marks the books first. While a scan of the library is active,
// the scan reads them.

import { resolve } from '../catalog/public-ids.js';
import { bytesOfUuid } from '../model/ids.js';
import type { Viewer } from '../model/viewer.js';
import type { TaskOptions, TaskRunner } from '../tasks/runner.js';
import type { TaskContext } from '../tasks/task.js';
import { drain } from './analyse.js';
import type { ScanParts } from './context.js';
import { inLibrary, settleDue } from './due-series.js';
import { markAllDue } from './mark-due.js';
import { ANALYSIS_LANE, ANALYZE_LIBRARY } from './requests.js';
import { bytesRead } from './scan-tally.js';
import { scanMeasure } from './status.js';

const PRIORITY = 450;
const MARKED = 'marked';

export class LibraryAnalyses {
  readonly #parts: ScanParts;
  readonly #tasks: TaskRunner;
  readonly #isScanning: (libraryKey: number) => boolean;

  constructor(parts: ScanParts, tasks: TaskRunner, isScanning: (libraryKey: number) => boolean) {
    this.#parts = parts;
    this.#tasks = tasks;
    this.#isScanning = isScanning;
    tasks.register(ANALYZE_LIBRARY, {
      lane: ANALYSIS_LANE,
      run: (context) => this.#run(context),
      measure: scanMeasure,
    });
  }

  async add(viewer: Viewer, id: string, isUnanalysedOnly: boolean, options: TaskOptions = {}): Promise<string> {
    await resolve(this.#parts.db, 'library', id, viewer);
    const all = { priority: PRIORITY, ...options };
    return this.#tasks.enqueue(ANALYZE_LIBRARY, { kind: 'library', id }, { isUnanalysedOnly }, all);
  }

  async #run(context: TaskContext): Promise<unknown> {
    const { db } = this.#parts;
    const { target, signal, parameters, progress } = context;
    const [library] = await db.all<{ key: number }>('SELECT id AS key FROM library WHERE uuid = ? AND removing = 0', [
      bytesOfUuid(target?.id ?? ''),
    ]);
    if (library === undefined) return undefined;
    if (context.reached() !== MARKED) {
      await markAllDue(this.#parts, library, signal, { isUnanalysedOnly: parameters.isUnanalysedOnly === true });
      await context.checkpoint(MARKED);
    }
    if (this.#isScanning(library.key)) return undefined;
    const [row] = await db.all<{ n: number }>(
      'SELECT count(*) AS n FROM book INDEXED BY book_due WHERE library_id = ? AND due = 1 AND deleted = 0',
      [library.key],
    );
    const total = row?.n ?? 0;
    let done = 0;
    try {
      await drain(this.#parts, {
        filter: { where: 'b.library_id = ?', binds: [library.key] },
        signal,
        onStored: (finished) => {
          context.read(bytesRead(finished));
          done = Math.min(total, done + finished.length);
          progress(done, total);
        },
      });
    } finally {
      // When the server stops, the next start does this.
      if (!signal.aborted || context.isCancelled()) await settleDue(this.#parts, inLibrary(library.key), 'background');
    }
    return { books_analyzed: done };
  }
}
