// Reads what the book says about itself. Broken metadata is no metadata: the pages are still there.
import { AppError } from '../../core/model/errors.js';
import { step } from '../step.js';

export const metadata = step({
  name: 'metadata',
  needs: ['container'],
  gives: ['metadata'],
  run: async ({ container }) => {
    try {
      return { metadata: (await container?.metadata()) ?? null };
    } catch (thrown) {
      if (thrown instanceof AppError && thrown.kind !== 'FileUnreadable') return { metadata: null };
      throw thrown;
    }
  },
});
