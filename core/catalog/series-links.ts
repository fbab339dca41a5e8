// The links of a series that a user sets. They are locked from then on, so that files no longer replace them.
import { newId, uuidOfHex } from '../model/ids.js';
import type { Link } from '../model/metadata.js';
import { told } from '../store/told-reports.js';
import type { Asking } from './asking.js';
import { checkedLinks } from './checked-facts.js';
import { lockSeries } from './locks.js';
import { seriesMetadata } from './series-record.js';

/** Replaces them. Links that are there already keep their ids. */
export const setLinksIn = async ({ tx, viewer, nowMs }: Asking, id: string, wanted: readonly Link[]): Promise<void> => {
  const { key, links } = await seriesMetadata(tx, viewer, id);
  const next = checkedLinks(wanted).map(({ source, url }) => {
    const present = links?.find((one) => one.source === source && one.url === url);
    return present ?? { id: uuidOfHex(newId(nowMs)), source, url, createdAt: nowMs };
  });
  await tx.run('UPDATE series SET links = ? WHERE id = ?', [next.length === 0 ? null : JSON.stringify(next), key]);
  await lockSeries(tx, key, 'links', nowMs);
  tx.report(told('series', [key], ['metadata']));
};
