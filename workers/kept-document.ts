// The document that this thread keeps open between pages. The server is told of each use, and may ask to have it closed: a thread that waits
// for a job has no timers of its own.
import { parentPort, threadId } from 'node:worker_threads';
import type { DocumentEvent, DocumentNews } from '../core/model/document-news.js';
import type { BookFile } from './book-file.js';

interface Document {
  readonly path: string;
  readonly sizeBytes: number;
  readonly mtimeMs: number;
  close(): void;
}

const wanted = new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT);
const flag = new Int32Array(wanted);
let close: () => void = () => undefined;

const tell = (document: DocumentEvent, path: string): void => {
  parentPort?.postMessage({ document, thread: threadId, path, wanted } satisfies DocumentNews);
};

/** Gives the document of a file, opened or still open from the last page. One per thread. */
export const keeper = <D extends Document>(open: (file: BookFile) => D): ((file: BookFile) => D) => {
  let kept: D | null = null;
  close = () => {
    const last = kept;
    kept = null;
    last?.close();
    if (last !== null) tell('closed', last.path);
  };
  return (file) => {
    if (kept !== null && kept.path === file.path && kept.sizeBytes === file.size && kept.mtimeMs === file.mtimeMs) {
      tell('used', file.path);
      return kept;
    }
    const isReplaced = kept !== null;
    close();
    kept = open(file);
    tell(isReplaced ? 'replaced' : 'opened', file.path);
    return kept;
  };
};

/** Called before and after jobs. */
export const closeIfAsked = (): void => {
  if (Atomics.exchange(flag, 0, 0) === 1) close();
};
