// A book file whose reads count as progress of the job, so that a slow file is not mistaken for a hang.
import type { BookFile } from './book-file.js';
import type { Run } from './step.js';

export const metered = (file: BookFile, run: Pick<Run, 'advance' | 'allow'>): BookFile => {
  run.allow(file.size);
  return {
    ...file,
    read: (position, length) => {
      const bytes = file.read(position, length);
      run.advance();
      return bytes;
    },
    readInto: (target, position) => {
      const length = file.readInto(target, position);
      if (length > 0) run.advance();
      return length;
    },
  };
};
