// Opens the container by its content. A file that cannot be read as a book is a finding, not a failure of the job.
import { AppError, faultOf } from '../../core/model/errors.js';
import { openContainer } from '../formats/all.js';
import { step } from '../step.js';

/** Errors that say something about the moment and not about the file. */
const PASSING: ReadonlySet<string> = new Set(['Cancelled', 'Timeout', 'FileUnreadable', 'FileChanged']);

export const list = step({
  name: 'list',
  needs: ['file', 'limits'],
  gives: ['container', 'fault'],
  run: async ({ file, limits }) => {
    try {
      const container = await openContainer(file, limits);
      if (container.pages.length === 0) throw new AppError('EmptyBook', 'The archive holds no image.');
      if (container.pages.every((page) => page.fault === 'encrypted')) throw new AppError('EncryptedArchive');
      return { container, fault: null };
    } catch (thrown) {
      if (!(thrown instanceof AppError) || PASSING.has(thrown.kind)) throw thrown;
      return { container: null, fault: faultOf(thrown) };
    }
  },
});
