// Opens the book file; the runner closes it.
import { AppError } from '../../core/model/errors.js';
import type { Place } from '../../core/model/held-place.js';
import type { FileState } from '../../core/model/jobs.js';
import { type MeteredFile, openBookFile } from '../book-file.js';
import { metered } from '../metered-file.js';
import { aheadOf, neverAhead } from '../read-ahead.js';
import { type Run, step } from '../step.js';

interface Opening extends Place {
  readonly run: Run;
}

const opened = ({ path, root, run }: Opening): MeteredFile => {
  const file = metered(openBookFile(path, root), run);
  run.onClose(() => file.close());
  return file;
};

interface KnownOpening extends Opening {
  readonly state: FileState | null;
}

const openedKnown = ({ state, ...opening }: KnownOpening): MeteredFile => {
  const file = opened(opening);
  if (state !== null && (state.sizeBytes !== file.size || state.mtimeMs !== file.mtimeMs))
    throw new AppError('FileChanged');
  return file;
};

/** Opens the file only if it is the one whose pages were listed. */
export const openKnown = step({
  name: 'open',
  needs: ['path', 'root', 'state'],
  gives: ['file'],
  run: ({ path, root, state }, run) => ({ file: neverAhead(openedKnown({ path, root, state, run })) }),
});

/** The same for reading it to its end. */
export const openKnownAhead = step({
  name: 'open',
  needs: ['path', 'root', 'state'],
  gives: ['file'],
  run: ({ path, root, state }, run) => ({ file: aheadOf(openedKnown({ path, root, state, run })) }),
});

export const open = step({
  name: 'open',
  needs: ['path', 'root'],
  gives: ['file'],
  run: ({ path, root }, run) => ({ file: neverAhead(opened({ path, root, run })) }),
});

/** For many small reads. */
export const openAhead = step({
  name: 'open',
  needs: ['path', 'root'],
  gives: ['file'],
  run: ({ path, root }, run) => ({ file: aheadOf(opened({ path, root, run })) }),
});
