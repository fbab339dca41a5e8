// How new the catalog is for somebody: the number of the newest change that an answer to them may tell of. Kept answers and the tags of
// conditional requests rest on it. The numbers are stored with the changes, so that they survive a restart.
import { randomBytes } from 'node:crypto';
import { type Statements, withConnection } from './connection.js';
import type { Batch, Feed, Kind, Report } from './feed.js';

/** Kinds that answers about the catalog and about reading do not tell of. */
const UNTOLD: ReadonlySet<Kind> = new Set<Kind>([
  'session',
  'api_key',
  'last_use',
  'audit',
  'setting',
  'document',
  'preference',
  'reader_profile',
  'scan',
  'duplicates',
  'task',
  'folder',
]);

interface Touched {
  /** Whether anybody's answers may be others now. */
  readonly shared: boolean;
  /** Users whose own answers may be. */
  readonly users: ReadonlySet<number>;
}

const touchedBy = (reports: readonly Report[]): Touched => {
  const told = reports.filter(({ kind }) => !UNTOLD.has(kind));
  const users = told.flatMap(({ userKey }) => (userKey === undefined ? [] : [userKey]));
  return { shared: told.some(({ userKey }) => userKey === undefined), users: new Set(users) };
};

const NEXT =
  'UPDATE change_feed SET sequence = sequence + 1, shared = iif(?1, sequence + 1, shared) RETURNING sequence';
const OWN = `INSERT INTO own_change (user_id, sequence) VALUES (?1, ?2)
  ON CONFLICT (user_id) DO UPDATE SET sequence = excluded.sequence`;

/** The number of a transaction that reports this, stored in it. */
export const storeSequence = async (tx: Statements, reports: readonly Report[]): Promise<number | undefined> => {
  const { shared, users } = touchedBy(reports);
  const [row] = await tx.all<{ sequence: number }>(NEXT, [shared ? 1 : 0]);
  if (row !== undefined) for (const user of users) await tx.run(OWN, [user, row.sequence]);
  return row?.sequence;
};

/** Marks a database as another one than that of which it is a copy. Databases of before schema 24 get their mark when they are upgraded. */
export const beginEpoch = async (tx: Statements): Promise<void> => {
  const columns = await tx.all<{ name: string }>(`SELECT name FROM pragma_table_info('change_feed')`);
  if (columns.some(({ name }) => name === 'epoch')) await tx.run('UPDATE change_feed SET epoch = randomblob(8)');
};

const USERS_MAX = 10_000;

interface Stored {
  readonly epoch: string;
  readonly shared: number;
  readonly own: readonly { readonly user: number; readonly sequence: number }[];
}

export class Versions {
  /** Names the history of changes to which the numbers belong. */
  readonly epoch: string;
  readonly #own = new Map<number, number>();
  readonly #usersMax: number;
  #shared: number;
  /** At least the number of every user who is not in the map. */
  #floor = 0;

  constructor(feed: Feed, { epoch, shared, own }: Stored, usersMax: number = USERS_MAX) {
    this.epoch = epoch;
    this.#shared = shared;
    this.#usersMax = usersMax;
    for (const { user, sequence } of own) this.#set(user, sequence);
    feed.listen({
      onBatch: (batch) => this.#take(batch),
      forget: () => {
        this.#shared = feed.sequence;
      },
    });
  }

  /** The newest change that an answer to this user may tell of. */
  of(userKey: number): number {
    return Math.max(this.#shared, this.#own.get(userKey) ?? this.#floor);
  }

  #take({ sequence, reports }: Batch): void {
    const { shared, users } = touchedBy(reports);
    if (shared) this.#shared = sequence;
    for (const user of users) this.#set(user, sequence);
  }

  /** Beyond the bound all users count as changed, once. */
  #set(user: number, sequence: number): void {
    if (this.#own.size >= this.#usersMax && !this.#own.has(user)) {
      for (const one of this.#own.values()) this.#floor = Math.max(this.#floor, one);
      this.#own.clear();
    }
    this.#own.set(user, sequence);
  }
}

/** Synced to the disk before anything else is written, so that no power loss takes it alone. */
const ofChanges = <T>(path: string, body: (connection: Statements) => Promise<T>): Promise<T> =>
  withConnection(path, async (connection) => {
    await connection.exec('PRAGMA synchronous=FULL');
    return body(connection);
  });

/**
 * Call this before anything is written. A database that was not closed begins a new epoch: its newest changes may be lost, and then their
 * numbers are given again. On a disk that accepts nothing, the epoch is of this process alone.
 */
export const openVersions = async (
  db: Pick<Statements, 'all'> & { readonly feed: Feed },
  path: string,
): Promise<Versions> => {
  const isMarked = await ofChanges(path, async (connection) => {
    await connection.run('UPDATE change_feed SET epoch = iif(is_closed, epoch, randomblob(8)), is_closed = 0');
    return true;
  }).catch(() => false);
  const [row] = await db.all<{ epoch: string; shared: number }>(
    'SELECT hex(epoch) AS epoch, shared FROM change_feed',
    [],
  );
  const own = await db.all<Stored['own'][number]>('SELECT user_id AS user, sequence FROM own_change', []);
  const epoch = isMarked ? (row?.epoch ?? '') : randomBytes(8).toString('hex').toUpperCase();
  return new Versions(db.feed, { epoch, shared: row?.shared ?? 0, own });
};

/** Call this when the database is closed and nothing of it can be lost any more. */
export const closeVersions = (path: string): Promise<unknown> =>
  ofChanges(path, (connection) => connection.run('UPDATE change_feed SET is_closed = 1')).catch(() => undefined);
