// What threads say about the documents that they keep open between pages, and how they are asked to close them.

/** Opened: none was open. Replaced: in place of another one. Used: it was open. */
export type DocumentEvent = 'opened' | 'replaced' | 'used' | 'closed';

export interface DocumentNews {
  readonly document: DocumentEvent;
  readonly thread: number;
  readonly path: string;
  /** Set to 1 to ask the thread to close its document, before or after its next job. */
  readonly wanted: SharedArrayBuffer;
}

/** A job that only makes a thread check whether to close its document, and whether others wait for memory that it holds. */
export interface Wake {
  readonly wake: true;
}

/** Its answer: `retire` when it holds such memory. */
export interface Woken {
  readonly thread: number;
  readonly retire: boolean;
}
