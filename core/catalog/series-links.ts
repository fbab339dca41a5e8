// The links of a series that a user sets. They are locked from then on, so that files no longer replace them.
import { AppError } from '../model/errors.js';
import { FACT_LIMITS } from '../model/fact-limits.js';
import { newId, uuidOfHex } from '../model/ids.js';
import type { Link } from '../model/metadata.js';
import { told } from '../store/told-reports.js';
import type { Asking } from './asking.js';
import { lockSeries } from './locks.js';
import { seriesMetadata } from './series-record.js';

const SCHEMES: ReadonlySet<string> = new Set(['http:', 'https:']);

/** Whoever opens a link trusts the address that the server shows. */
const checkedUrl = (text: string, at: number): string => {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url !== null && SCHEMES.has(url.protocol) && url.href.length <= FACT_LIMITS.url) return url.href;
  const [path, message] = [
    `links[${at}].url`,
    `must be an http or https address of at most ${FACT_LIMITS.url} characters`,
  ];
  throw new AppError('BadRequest', `Invalid body: ${path} ${message}.`, [{ path, message }]);
};

/** Replaces them. Links that are there already keep their ids. */
export const setLinksIn = async ({ tx, viewer, nowMs }: Asking, id: string, wanted: readonly Link[]): Promise<void> => {
  const { key, links } = await seriesMetadata(tx, viewer, id);
  const next = wanted.map(({ source, url: text }, at) => {
    const url = checkedUrl(text.trim(), at);
    const present = links?.find((one) => one.source === source && one.url === url);
    return present ?? { id: uuidOfHex(newId(nowMs)), source, url, createdAt: nowMs };
  });
  await tx.run('UPDATE series SET links = ? WHERE id = ?', [next.length === 0 ? null : JSON.stringify(next), key]);
  await lockSeries(tx, key, 'links', nowMs);
  tx.report(told('series', [key], ['metadata']));
};
