// Opens the book file; the runner closes it.
import { AppError } from '../../core/model/errors.js';
import { openBookFile } from '../book-file.js';
import { metered } from '../metered-file.js';
import { step } from '../step.js';

/** Opens the file only if it is the one whose pages were listed. */
export const openKnown = step({
  name: 'open',
  needs: ['path', 'root', 'state'],
  gives: ['file'],
  run: ({ path, root, state }, run) => {
    const file = metered(openBookFile(path, root), run);
    run.onClose(() => file.close());
    if (state !== null && (state.sizeBytes !== file.size || state.mtimeMs !== file.mtimeMs))
      throw new AppError('FileChanged');
    return { file };
  },
});

export const open = step({
  name: 'open',
  needs: ['path', 'root'],
  gives: ['file'],
  run: ({ path, root }, run) => {
    const file = metered(openBookFile(path, root), run);
    run.onClose(() => file.close());
    return { file };
  },
});
