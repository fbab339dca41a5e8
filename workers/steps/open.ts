// Opens the book file; the runner closes it.
import { openBookFile } from '../book-file.js';
import { step } from '../step.js';

export const open = step({
  name: 'open',
  needs: ['path'],
  gives: ['file'],
  run: ({ path }, run) => {
    const file = openBookFile(path);
    run.onClose(() => file.close());
    return { file };
  },
});
