// What scans and analyses have done since the start of the server, for the measurements.

/** An analysis that has ended. */
interface Ended {
  readonly book: { readonly size: number };
  readonly analysis: { readonly fault: unknown } | null;
}

/** Bytes of the books that were analysed; those whose analysis failed are not among them. */
export const bytesRead = (finished: readonly Ended[]): number =>
  finished.reduce((sum, { book, analysis }) => (analysis === null ? sum : sum + book.size), 0);

export class ScanTally {
  filesSeen = 0;
  booksAnalysed = 0;
  bytesRead = 0;
  /** Books that could not be read, or only in part. */
  bookFaults = 0;
  /** Analyses that ended without a result: the server or a disk was at fault, or nobody waited any longer. */
  unfinished = 0;

  seen(files: number): void {
    this.filesSeen += files;
  }

  analysed<E extends Ended>(finished: E): E {
    const { analysis } = finished;
    this.booksAnalysed += Number(analysis !== null);
    this.unfinished += Number(analysis === null);
    this.bookFaults += Number(analysis !== null && analysis.fault !== null);
    this.bytesRead += bytesRead([finished]);
    return finished;
  }
}
