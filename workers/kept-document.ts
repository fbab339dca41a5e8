// The document that this thread keeps open between pages, as the server knows it: it is told of each use, and may ask to have it closed.
import { parentPort, threadId } from 'node:worker_threads';
import type { DocumentEvent, DocumentNews } from '../core/model/document-news.js';

const wanted = new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT);
const flag = new Int32Array(wanted);
let close: () => void = () => undefined;

/** How the document of this thread is closed. */
export const closeWith = (act: () => void): void => {
  close = act;
};

export const tellDocument = (document: DocumentEvent, path: string): void => {
  if (document !== 'closed') Atomics.store(flag, 0, 0);
  parentPort?.postMessage({ document, thread: threadId, path, wanted } satisfies DocumentNews);
};

/** Called before and after jobs. */
export const closeIfAsked = (): void => {
  if (Atomics.exchange(flag, 0, 0) === 1) close();
};
