// A book file whose reads are measured. They count as progress of the job, so that a slow file is not mistaken for a hang.
import type { BookFile, MeteredFile } from './book-file.js';
import type { Run } from './step.js';

export const metered = (file: BookFile, run: Pick<Run, 'advance' | 'allow'>): MeteredFile => {
  run.allow(file.size);
  let bytes = 0;
  let ms = 0;
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
    reading: () => ({ bytes, ms }),
  };
};
