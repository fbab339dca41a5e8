// A book file whose reads are measured. They count as progress of the job, so that a slow file is not mistaken for a hang.
import type { BookFile, MeteredFile } from './book-file.js';
import type { Run } from './step.js';

export const metered = (file: BookFile, run: Pick<Run, 'advance' | 'allow'>): MeteredFile => {
  run.allow(file.size);
  let bytes = 0;
  let ms = 0;
  /** Reads that wait at the same time; time passes once for all of them. */
  let underWay = 0;
  let sinceMs = 0;
  const note = (length: number, started: number): void => {
    bytes += length;
    ms += performance.now() - started;
    if (length > 0) run.advance();
  };
  return {
    ...file,
    read: (position, length) => {
      const started = performance.now();
      const read = file.read(position, length);
      note(length, started);
      return read;
    },
    readInto: (target, position) => {
      const started = performance.now();
      const length = file.readInto(target, position);
      note(length, started);
      return length;
    },
    readLater: async (target, position) => {
      if (underWay === 0) sinceMs = performance.now();
      underWay += 1;
      let length = 0;
      try {
        length = await file.readLater(target, position);
      } finally {
        underWay -= 1;
        note(length, underWay === 0 ? sinceMs : performance.now());
      }
      return length;
    },
    reading: () => ({ bytes, ms }),
  };
};
