// Progress of readers whose apps only fetch pages (OPDS-PSE): follows the page on the screen, and stores it once the app has been quiet.
// Never goes back: what an app fetches in advance, or again, is no sign of where its reader is.
import { faultOf, KINDS } from '../model/errors.js';
import { bytesOfUuid } from '../model/ids.js';
import { advanceProgress, type Reader, type ReadingParts } from './progress.js';
import { fetched, pageSeen, READ_MS, type ReadingSession, type Rest } from './reading-session.js';

export interface StreamedReadingParts extends ReadingParts {
  readonly onFault: (thrown: unknown) => void;
}

/** Stored once a page has been looked at, and at least this often. */
const STORED_EVERY_MS = 15_000;
/** After this, the next page counts as opening the book again. */
const FORGOTTEN_MS = 30 * 60_000;
/** Above this, those that have been quiet longest are stored and forgotten. */
const SESSIONS_MAX = 2000;
/** There may be as many as this until they have been stored; then the quietest are dropped. */
const OPEN_MAX = 2 * SESSIONS_MAX;
const TICK_MS = 1000;

/** A page that was fetched, and has been sent as far as the server can tell. */
export interface Fetched {
  readonly reader: Reader;
  readonly bookId: string;
  /** 1-based. */
  readonly page: number;
  /** By the clock's `elapsed`. Needed because the time that an answer takes is not time spent on a page. */
  readonly askedAt: number;
}

/** Two people may share an account, and one may read two books on two devices. */
const deviceOf = ({ viewer, device }: Reader): string => `${viewer.userKey}/${device.id}`;

/** Null for a book that is gone. Whoever fetched its pages was let in. */
const pageCountOf = async (db: ReadingParts['db'], bookId: string): Promise<number | null> => {
  const [row] = await db.all<{ count: number }>('SELECT page_count AS count FROM book WHERE uuid = ?', [
    bytesOfUuid(bookId),
  ]);
  return row?.count ?? null;
};

/** Changed in place: it is noted with every page. */
interface Open {
  readonly bookId: string;
  reader: Reader;
  session: ReadingSession;
  /** Of the book; null until it is needed. */
  pageCount: number | null;
  /** The page stored last. */
  stored: number;
  storedAt: number;
}

export class StreamedReading {
  readonly #parts: StreamedReadingParts;
  /** The one that has been quiet longest comes first. */
  readonly #open = new Map<string, Open>();
  /** The key of the last one, which need not be moved to the end when its next page comes. */
  #newest: string | null = null;
  /** The book that was opened last on each device of a user, and when. */
  readonly #latest = new Map<string, { readonly key: string; readonly since: number }>();
  #timer: NodeJS.Timeout | null = null;
  #storing: Promise<void> = Promise.resolve();

  constructor(parts: StreamedReadingParts) {
    this.#parts = parts;
  }

  /** Pages of users who may not write progress are not followed. Waits for nothing. */
  note({ reader, bookId, page, askedAt }: Fetched): void {
    if (!reader.viewer.permissions.has('ProgressWrite')) return;
    const now = this.#parts.clock.elapsed();
    const device = deviceOf(reader);
    const key = `${device}/${bookId}`;
    const known = this.#open.get(key);
    const session = fetched(known?.session, { page, askedAt, answeredAt: now });
    if (known === undefined) this.#begin(key, { reader, bookId, session, stored: 0, storedAt: now, pageCount: null });
    else {
      known.reader = reader;
      known.session = session;
      if (this.#newest !== key) {
        this.#open.delete(key);
        this.#open.set(key, known);
      }
    }
    this.#newest = key;
    if (session.now.shown > 0 && this.#latest.get(device)?.key !== key) this.#latest.set(device, { key, since: now });
  }

  #begin(key: string, open: Open): void {
    const [oldest] = this.#open;
    if (oldest !== undefined && this.#open.size >= OPEN_MAX) this.#forget(...oldest);
    this.#open.set(key, open);
    this.#timer ??= setInterval(() => this.settle().catch(this.#parts.onFault), TICK_MS).unref();
  }

  /** Stores what is due. */
  settle(): Promise<void> {
    this.#storing = this.#storing.then(() => this.#storeDue(this.#parts.clock.elapsed(), false));
    return this.#storing;
  }

  /** Stores everything: before the server stops. */
  async close(): Promise<void> {
    if (this.#timer !== null) clearInterval(this.#timer);
    this.#timer = null;
    await this.#storing;
    await this.#storeDue(this.#parts.clock.elapsed(), true);
  }

  async #storeDue(now: number, isLast: boolean): Promise<void> {
    const surplus = this.#open.size - SESSIONS_MAX;
    for (const [at, [key, open]] of [...this.#open].entries()) {
      await this.#count(open);
      const rest = this.#restOf(key, open, now);
      const page = open.pageCount === null ? 0 : pageSeen(open.session, open.pageCount, rest);
      const quietMs = now - open.session.at;
      const isDue = isLast || at < surplus || quietMs >= READ_MS || now - open.storedAt >= STORED_EVERY_MS;
      if (page > open.stored && isDue) await this.#store(open, page, now);
      if (at < surplus || quietMs >= FORGOTTEN_MS) this.#forget(key, open);
    }
    if (this.#open.size > 0 || this.#timer === null) return;
    clearInterval(this.#timer);
    this.#timer = null;
  }

  /** Who has opened another book on the same device no longer looks at this one. */
  #restOf(key: string, { session, reader }: Open, now: number): Rest {
    const latest = this.#latest.get(deviceOf(reader));
    if (latest === undefined || latest.key === key) return { quietMs: now - session.at, isElsewhere: false };
    return { quietMs: latest.since - session.at, isElsewhere: true };
  }

  async #count(open: Open): Promise<void> {
    if (open.pageCount !== null) return;
    const { db, onFault } = this.#parts;
    open.pageCount = await pageCountOf(db, open.bookId).catch((thrown: unknown) => {
      onFault(thrown);
      return null;
    });
  }

  async #store(open: Open, page: number, now: number): Promise<void> {
    try {
      await advanceProgress(this.#parts, open.reader, open.bookId, page);
    } catch (thrown) {
      const { kind } = faultOf(thrown);
      if (kind === 'Internal') this.#parts.onFault(thrown);
      if (KINDS[kind].retry) return;
      // Otherwise the book or its reader is gone.
    }
    open.stored = page;
    open.storedAt = now;
  }

  #forget(key: string, { reader }: Open): void {
    this.#open.delete(key);
    const device = deviceOf(reader);
    if (this.#latest.get(device)?.key === key) this.#latest.delete(device);
  }
}
