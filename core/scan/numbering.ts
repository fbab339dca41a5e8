// Numbers many series, a few per transaction.
import { renumberSeries } from '../catalog/numbering.js';
import type { LibraryRules } from '../model/strategies.js';
import type { ScanParts } from './context.js';

/** Series numbered in one transaction: few, so that reading users never wait for it. */
const SERIES_PER_TRANSACTION = 20;

export const numberMany = async (
  { db }: Pick<ScanParts, 'db'>,
  seriesKeys: readonly number[],
  rules: LibraryRules,
): Promise<void> => {
  for (let at = 0; at < seriesKeys.length; at += SERIES_PER_TRANSACTION) {
    const slice = seriesKeys.slice(at, at + SERIES_PER_TRANSACTION);
    await db.write('background', (tx) => renumberSeries(tx, slice, rules));
  }
};
