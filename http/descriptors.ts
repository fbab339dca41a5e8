// How many descriptors the system lets the process open, how many are open, and how many connections that leaves room for.
import { readdirSync, readFileSync, readlinkSync, statSync } from 'node:fs';
import type { Bounds } from './adapter.js';
import type { Config } from './config.js';

/** Kept for everything that is no connection: database, cache, threads, unpacked files, the log. Book files kept open come on top. */
const RESERVE = 192;
const SLOW_MS = 30_000;

/** The soft limit, which Node raises to the hard one at its start; infinite where the system does not say. */
export const descriptorLimit = (): number => {
  try {
    const found = /^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1];
    return found === undefined ? Number.POSITIVE_INFINITY : Number(found);
  } catch {
    return Number.POSITIVE_INFINITY; // no Linux: its limits are far away or unknown
  }
};

const FOLDER = '/proc/self/fd';

/** Descriptors that are open now: zero where the system does not say, infinite when none is left to count them with. */
export const openDescriptors = (): number => {
  try {
    const { size } = statSync(FOLDER);
    return size > 0 ? size : readdirSync(FOLDER).length; // kernels before 6.2 give no size
  } catch (thrown) {
    return isUsedUp(thrown) ? Number.POSITIVE_INFINITY : 0;
  }
};

const isUsedUp = (thrown: unknown): boolean =>
  thrown instanceof Error && 'code' in thrown && (thrown.code === 'EMFILE' || thrown.code === 'ENFILE');

const isSocket = (descriptor: string): boolean => {
  try {
    return readlinkSync(`${FOLDER}/${descriptor}`).startsWith('socket:');
  } catch {
    return false; // closed meanwhile, as the one that listed the folder is
  }
};

/** How many of them are sockets: a look at each, so only where the plain number says that it matters. Undefined when none is left to look with. */
export const openSockets = (): number | undefined => {
  try {
    return readdirSync(FOLDER).filter(isSocket).length;
  } catch {
    return undefined;
  }
};

/** Connections that fit below a limit on descriptors. With a very low one, half of it. */
export const connectionsWithin = (wanted: number, limit: number, openFiles: number): number =>
  Math.max(1, Math.min(wanted, Math.max(limit - RESERVE - openFiles, Math.floor(limit / 2))));

export const boundsOf = ({ http, pages }: Config): Bounds => ({
  connections: connectionsWithin(http.connections, descriptorLimit(), pages.openFiles),
  bodiesBytes: http.bodiesInFlightBytes,
  answersBytes: http.answersInFlightBytes,
  slowMs: SLOW_MS,
});
