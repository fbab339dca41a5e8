// Reads the book's own metadata and its sidecars. Broken metadata counts as none: the pages are still there.
import { AppError } from '../../core/model/errors.js';
import type { NamedPage } from '../../core/model/jobs.js';
import type { EmbeddedMetadata } from '../../core/model/metadata.js';
import type { Container } from '../formats/format.js';
import { mergeMetadata, reported } from '../metadata/merge.js';
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

/** The first marked page that can be shown; null if the first page is the cover anyway. */
const frontOf = (container: Container | null, measured: readonly NamedPage[]): number | null =>
  container?.frontPages?.().find((index) => measured[index]?.fault === 0) || null;

export const metadata = step({
  name: 'metadata',
  needs: ['container', 'measured', 'path', 'root', 'limits', 'beside'],
  gives: ['metadata', 'metadataNotes', 'front'],
  run: async ({ container, measured, path, root, limits, beside }) => {
    const { book, series } = readSidecars({ path, root }, limits.xmlBytes, beside);
    return {
      ...reported(mergeMetadata(book, await embeddedIn(container), series)),
      front: frontOf(container, measured),
    };
  },
});
