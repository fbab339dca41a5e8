// Reads the book's own metadata and its sidecars. Broken metadata counts as none: the pages are still there.
import { AppError } from '../../core/model/errors.js';
import type { EmbeddedMetadata } from '../../core/model/metadata.js';
import type { Container } from '../formats/format.js';
import { mergeMetadata } from '../metadata/merge.js';
import { readSidecars } from '../metadata/sidecars.js';
import { step } from '../step.js';

const embeddedIn = async (container: Container | null): Promise<EmbeddedMetadata | null> => {
  try {
    return (await container?.metadata()) ?? null;
  } catch (thrown) {
    if (thrown instanceof AppError && thrown.kind !== 'FileUnreadable') return null;
    throw thrown;
  }
};

export const metadata = step({
  name: 'metadata',
  needs: ['container', 'path', 'root', 'limits', 'beside'],
  gives: ['metadata'],
  run: async ({ container, path, root, limits, beside }) => {
    const { book, series } = readSidecars({ path, root }, limits.xmlBytes, beside);
    return { metadata: mergeMetadata(book, await embeddedIn(container), series) };
  },
});
