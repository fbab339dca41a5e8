// Reads what the book says about itself. Broken metadata is no metadata: the pages are still there.
import { AppError } from '../../core/model/errors.js';
import { readComicInfo } from '../metadata/comicinfo.js';
import { step } from '../step.js';

export const metadata = step({
  name: 'metadata',
  needs: ['container'],
  gives: ['metadata'],
  run: ({ container }) => {
    try {
      const bytes = container?.metadata() ?? null;
      return { metadata: bytes === null ? null : readComicInfo(bytes) };
    } catch (thrown) {
      if (thrown instanceof AppError && thrown.kind !== 'FileUnreadable') return { metadata: null };
      throw thrown;
    }
  },
});
