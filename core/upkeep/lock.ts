// One process per data folder: the lock file, who holds it, and how a dead holder is replaced. Knows nothing of what the folder holds.
import { randomBytes } from 'node:crypto';
import {
  closeSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { AppError } from '../model/errors.js';

export const LOCK_FILE = 'longbox.lock';

/** What the file says. */
export interface Holder {
  readonly pid: number;
  readonly host: string;
  readonly startedAt: string;
  /** Boot id and start tick of the process: tells it from a later process with the same pid. Null where the system does not say. */
  readonly processStart: string | null;
  /** Makes every acquisition distinct, also within one process. */
  readonly nonce: string;
}

export interface Lock {
  readonly path: string;
  /** Removes the file if it is still ours. May be called twice. */
  release(): void;
}

/** Where hard links are missing a fresh lock is empty for a moment: one that says nothing counts as held for this long. */
const WRITING_MS = 5000;
/** A crash in the middle of a takeover leaves a second stale file; more than two of them are not an accident. */
const MAX_DEPTH = 3;
const MAX_TURNS = 20;

/** The system's word for what went wrong ('ENOENT'), or ''. */
export const codeOf = (thrown: unknown): string =>
  thrown instanceof Error && 'code' in thrown && typeof thrown.code === 'string' ? thrown.code : '';

/** The same for people: 'EACCES: permission denied'. */
export const reasonOf = (thrown: unknown): string =>
  thrown instanceof Error ? (thrown.message.split(',')[0] ?? thrown.message) : String(thrown);

/** Null for a file that is not there (or may not be read). */
const readText = (path: string): string | null => {
  try {
    return readFileSync(path, 'utf8');
  } catch (thrown) {
    if (codeOf(thrown) === 'ENOENT' || codeOf(thrown) === 'ESRCH') return null;
    throw thrown;
  }
};

const bootId = (): string => {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  } catch {
    // Sandboxes hide it; the start tick alone still tells most processes apart.
    return '';
  }
};

/** 'gone' for a zombie, null where the system does not tell (also about processes of other users it may hide). */
const processStartOf = (pid: number): string | null => {
  if (process.platform !== 'linux') return null;
  const stat = readText(`/proc/${pid}/stat`);
  if (stat === null) return null;
  // The second field is the program's name in brackets and may hold spaces and brackets: count from behind it.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const [state, tick] = [fields[0], fields[19]];
  if (state === 'Z' || state === 'X') return 'gone';
  return tick === undefined ? null : `${bootId()}:${tick}`;
};

const exists = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch (thrown) {
    return codeOf(thrown) === 'EPERM';
  }
};

/** Whether the holder may still be at work. A holder on another computer cannot be asked: it counts as alive. */
const isAlive = (holder: Holder): boolean => {
  if (holder.host !== hostname()) return true;
  if (!exists(holder.pid)) return false;
  const start = processStartOf(holder.pid);
  return start === null || holder.processStart === null || start === holder.processStart;
};

const isHolder = (value: unknown): value is Holder => {
  if (typeof value !== 'object' || value === null) return false;
  if (!('pid' in value && 'host' in value && 'startedAt' in value && 'processStart' in value)) return false;
  const { pid, host, startedAt, processStart } = value;
  const isPid = typeof pid === 'number' && Number.isInteger(pid) && pid > 0;
  const isStart = processStart === null || typeof processStart === 'string';
  return isPid && isStart && typeof host === 'string' && typeof startedAt === 'string';
};

/** Null when the text is no lock. */
const holderOf = (text: string): Holder | null => {
  try {
    const value: unknown = JSON.parse(text);
    return isHolder(value) ? value : null;
  } catch {
    // Cut short by a power failure, or written by hand.
    return null;
  }
};

type Found =
  | { readonly kind: 'absent' }
  | { readonly kind: 'stale' }
  | { readonly kind: 'held'; readonly holder: Holder | null };

const inspect = (path: string, nowMs: number): Found => {
  const text = readText(path);
  if (text === null) return { kind: 'absent' };
  const holder = holderOf(text);
  if (holder !== null) return isAlive(holder) ? { kind: 'held', holder } : { kind: 'stale' };
  const ageMs = nowMs - (statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0);
  return Math.abs(ageMs) < WRITING_MS ? { kind: 'held', holder: null } : { kind: 'stale' };
};

const writeDurably = (path: string, text: string, mode: number): void => {
  const fd = openSync(path, 'wx', mode);
  try {
    writeSync(fd, text);
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
};

/** Makes a file with its whole text at once, never replacing one: false when it is there already. Nobody sees it half written. */
export const createWhole = (path: string, text: string, mode: number): boolean => {
  const draft = `${path}.${randomBytes(6).toString('hex')}.tmp`;
  try {
    writeDurably(draft, text, mode);
    linkSync(draft, path);
    return true;
  } catch (thrown) {
    const code = codeOf(thrown);
    if (code === 'EEXIST') return false;
    if (!['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS'].includes(code)) throw thrown;
  } finally {
    rmSync(draft, { force: true });
  }
  // No hard links here (exFAT, some network shares): exclusive creation is the next best.
  try {
    writeDurably(path, text, mode);
    return true;
  } catch (thrown) {
    if (codeOf(thrown) === 'EEXIST') return false;
    throw thrown;
  }
};

interface Rival {
  readonly path: string;
  readonly holder: Holder | null;
}

/**
 * Claims `path`; null means that it is ours now, else who has it. A stale file is only ever replaced by whoever holds
 * `path.next`, itself claimed by the same rule, and after a second look: of two starters one wins, and nobody removes a fresh lock.
 */
const claim = (path: string, text: string, nowMs: number, depth = 0): Rival | null => {
  for (let turn = 0; turn < MAX_TURNS; turn++) {
    if (createWhole(path, text, 0o644)) return null;
    const found = inspect(path, nowMs);
    if (found.kind === 'held') return { path, holder: found.holder };
    if (found.kind === 'absent') continue;
    if (depth === MAX_DEPTH) return { path, holder: null };
    const next = `${path}.next`;
    const rival = claim(next, text, nowMs, depth + 1);
    if (rival !== null) return rival;
    const again = inspect(path, nowMs);
    if (again.kind === 'stale') {
      // Our claim on `next` becomes the lock itself: one rename, never a moment without a lock.
      renameSync(next, path);
      return null;
    }
    rmSync(next, { force: true });
  }
  return { path, holder: null };
};

const refusal = (dataDir: string, rival: Rival): AppError => {
  const { holder, path } = rival;
  const opening = `The data folder ${dataDir} is in use by another Longbox`;
  const details = { path, holder };
  if (holder === null) {
    return new AppError(
      'BadRequest',
      `${opening} that is just starting. If none runs, delete ${path} and try again.`,
      details,
    );
  }
  const who = `process ${holder.pid} on ${holder.host}, started ${holder.startedAt}`;
  const advice =
    holder.host === hostname()
      ? 'Stop it first, or choose another data folder.'
      : `Stop it first, or choose another data folder. If ${holder.host} no longer runs it, delete ${path}.`;
  return new AppError('BadRequest', `${opening}: ${who}. ${advice}`, details);
};

const unusable = (dataDir: string, thrown: unknown): AppError =>
  new AppError('BadRequest', `The data folder ${dataDir} cannot be used (${reasonOf(thrown)}).`, null, thrown);

/** Takes the data folder (and makes it when it is missing). Throws a sentence that names the holder when somebody else has it. */
export const acquireLock = (dataDir: string, nowMs: number): Lock => {
  const path = join(dataDir, LOCK_FILE);
  const holder: Holder = {
    pid: process.pid,
    host: hostname(),
    startedAt: new Date(nowMs).toISOString(),
    processStart: processStartOf(process.pid),
    nonce: randomBytes(8).toString('hex'),
  };
  const text = `${JSON.stringify(holder)}\n`;
  let rival: Rival | null;
  try {
    mkdirSync(dataDir, { recursive: true });
    rival = claim(path, text, nowMs);
  } catch (thrown) {
    throw unusable(dataDir, thrown);
  }
  if (rival !== null) throw refusal(dataDir, rival);
  const release = (): void => {
    if (readText(path) === text) rmSync(path, { force: true });
  };
  return { path, release };
};
