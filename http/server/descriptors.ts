// How many file descriptors the process may open, how many are open, and how many connections that leaves room for.
import { readdirSync, readFileSync, readlinkSync, statSync } from 'node:fs';

/** Reserved for everything but connections: database, cache, threads, spill files, the log. Book files kept open come on top. */
const RESERVE = 192;

/** The soft limit, which Node raises to the hard one when it starts; infinite where the system does not report it. */
export const descriptorLimit = (): number => {
  try {
    const found = /^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1];
    return found === undefined ? Number.POSITIVE_INFINITY : Number(found);
  } catch {
    return Number.POSITIVE_INFINITY; // not Linux: its limits are high or unknown
  }
};

const FOLDER = '/proc/self/fd';

/** Descriptors that are open now: zero where the system does not report it, infinite when none is left to count them with. */
export const openDescriptors = (): number => {
  try {
    const { size } = statSync(FOLDER);
    return size > 0 ? size : readdirSync(FOLDER).length; // kernels before 6.2 report no size
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
    return false; // closed meanwhile, like the one that listed the folder
  }
};

/**
 * How many of them are sockets. This inspects each one, so it is used only when the plain number matters. Undefined when no descriptor is
 * left to look with.
 */
export const openSockets = (): number | undefined => {
  try {
    return readdirSync(FOLDER).filter(isSocket).length;
  } catch {
    return undefined;
  }
};

/** Connections that fit below a descriptor limit. With a very low limit, half of it. */
export const connectionsWithin = (wanted: number, limit: number, openFiles: number): number =>
  Math.max(1, Math.min(wanted, Math.max(limit - RESERVE - openFiles, Math.floor(limit / 2))));
