// Reads the book's own metadata and its sidecars. Broken metadata counts as none: the pages are still there.
import { AppError } from '../../core/model/errors.js';
import type { NamedPage } from '../../core/model/jobs.js';
import type { EmbeddedMetadata } from '../../core/model/metadata.js';
import type { Container } from '../formats/format.js';
import { mergeMetadata, type ReportedMetadata, reported } from '../metadata/merge.js';
import { readSidecars } from '../metadata/sidecars.js';
import { step } from '../step.js';
import type { Bag } from '../step-values.js';

const DESCRIBED = ['path', 'root', 'limits', 'beside'] as const;

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
  container?.frontPages?.(measured.map(({ name }) => name)).find((index) => measured[index]?.fault === 0) || null;

const described = async (bag: Pick<Bag, (typeof DESCRIBED)[number] | 'container'>): Promise<ReportedMetadata> => {
  const { container, path, root, limits, beside } = bag;
  const { book, series } = readSidecars({ path, root }, limits.xmlBytes, beside);
  return reported(mergeMetadata(book, await embeddedIn(container), series));
};

/** Without a look at the pages. */
export const describe = step({
  name: 'metadata',
  needs: ['container', ...DESCRIBED],
  gives: ['metadata', 'metadataNotes'],
  run: described,
});

export const metadata = step({
  name: 'metadata',
  needs: ['container', 'measured', ...DESCRIBED],
  gives: ['metadata', 'metadataNotes', 'front'],
  run: async ({ container, measured, path, root, limits, beside }) => ({
    ...(await described({ container, path, root, limits, beside })),
    front: frontOf(container, measured),
  }),
});
