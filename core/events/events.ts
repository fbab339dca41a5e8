// Events for clients, from the change feed. A step takes all transactions up to the state of one snapshot, reads the affected rows there,
// and gives each audience the events it may see. If nobody follows, and nobody has for a while, nothing is read.
import type { Caller } from '../access/caller.js';
import { scopesOfUsers } from '../access/restrictions.js';
import type { Clock } from '../engine/clock.js';
import { AppError } from '../model/errors.js';
import { EVERYTHING } from '../model/viewer.js';
import type { CoverCounts } from '../scan/cover-counts.js';
import type { Scans } from '../scan/scans.js';
import type { Db, Reads } from '../store/db.js';
import type { Batch } from '../store/feed.js';
import { Announcer } from './announcer.js';
import { appNews } from './app-news.js';
import { type Audience, nameOf } from './audience.js';
import { Audiences } from './audiences.js';
import { Changes, isTold } from './changes.js';
import { EntityNews, libraryChanged } from './entity-news.js';
import { lookUp } from './looked-up.js';
import { Loop } from './loop.js';
import type { News, StreamName } from './news.js';
import { STREAMS } from './news.js';
import { WINDOW_MS } from './pace.js';
import { accountsByKey, liveLibraries, seenIn, sequenceOf } from './rows.js';
import { scanNews } from './scan-news.js';
import { Subscription } from './subscription.js';
import { taskFor } from './task-news.js';
import { NO_WORK, type Work, workIn } from './work.js';

export interface EventParts {
  readonly db: Db;
  readonly clock: Clock;
  readonly scans: Scans;
  readonly coverCounts: CoverCounts;
  readonly onFault: (thrown: unknown) => void;
}

const KEEP_ALIVE_MS = 15_000;
/** Batches that wait for a step; beyond this, all clients have to resync. */
const QUEUE_MAX = 5000;
interface Waiting {
  readonly stream: StreamName;
  readonly caller: Caller;
  readonly lastId: string;
  readonly signal: AbortSignal;
  readonly resolve: (made: Subscription) => void;
  readonly reject: (thrown: unknown) => void;
}

export class Events {
  readonly #parts: EventParts;
  readonly coverCounts: CoverCounts;
  readonly #audiences: Audiences;
  readonly #waiting: Waiting[] = [];
  readonly #announcer: Announcer;
  #queue: Batch[] = [];
  #libraries: ReadonlyMap<number, string> = new Map();
  /** Something was missed, so all clients have to resync. */
  #isLost = false;
  #keepingAlive: NodeJS.Timeout | null = null;
  #owing: NodeJS.Timeout | null = null;
  readonly #loop: Loop;

  constructor(parts: EventParts) {
    this.#parts = parts;
    this.#audiences = new Audiences(parts.clock.now());
    this.#announcer = new Announcer(this.#audiences);
    this.coverCounts = parts.coverCounts;
    this.#loop = new Loop({
      isDue: () => this.#isDue,
      step: () => this.#step(),
      failed: (thrown) => this.#failed(thrown),
      clients: () => this.#audiences.clients,
    });
    parts.db.feed.listen({
      onBatch: (batch) => this.#take(batch),
      forget: () => {
        this.#isLost = this.#audiences.size > 0;
        this.#loop.wake();
      },
    });
  }

  /** Follows a stream from now on, or from the event after `lastId`. Rejects if the client leaves meanwhile. */
  subscribe(stream: StreamName, caller: Caller, lastId: string, signal: AbortSignal): Promise<Subscription> {
    return new Promise((resolve, reject) => {
      if (this.#loop.isStopped) {
        reject(new AppError('Overloaded', 'The server is stopping.'));
        return;
      }
      this.#waiting.push({ stream, caller, lastId, signal, resolve, reject });
      this.#loop.wake();
    });
  }

  /** The client has left. */
  leave(subscription: Subscription): void {
    subscription.end();
    this.#audiences.left(subscription.audience.name);
    if (this.#audiences.clients === 0 && this.#keepingAlive !== null) {
      clearInterval(this.#keepingAlive);
      this.#keepingAlive = null;
    }
  }

  /** How many clients follow. */
  get size(): number {
    return this.#audiences.clients;
  }

  async stop(): Promise<void> {
    for (const timer of [this.#keepingAlive, this.#owing]) if (timer !== null) clearTimeout(timer);
    await this.#loop.stop();
    for (const { reject } of this.#waiting.splice(0)) reject(new AppError('Overloaded', 'The server is stopping.'));
    this.#audiences.stop();
  }

  #take(batch: Batch): void {
    if (this.#audiences.size === 0 && !this.#loop.isRunning) return;
    const waiting = this.#waiting.map(({ stream, caller }) => ({ stream, userKey: caller.user.key }));
    if (!batch.reports.some((report) => isTold(report) || this.#audiences.mayBeTold(report, waiting))) return;
    if (this.#queue.length >= QUEUE_MAX) {
      this.#queue = [];
      this.#isLost = true;
    }
    this.#queue.push(batch);
    this.#loop.wake();
  }

  get #isDue(): boolean {
    return this.#queue.length > 0 || this.#waiting.length > 0 || this.#isLost;
  }

  /** Waiting clients get the error; the others have to resync once a step succeeds. */
  #failed(thrown: unknown): void {
    this.#isLost = this.#audiences.size > 0;
    for (const { reject } of this.#waiting.splice(0)) reject(thrown);
    this.#parts.onFault(thrown);
  }

  async #step(): Promise<void> {
    const waiting = this.#waiting.slice();
    const wasLost = this.#isLost;
    this.#isLost = false; // what is missed from here on may be newer than the snapshot, and is left to the next step
    const found = await this.#parts.db.snapshot(async (from) => {
      const changes = await this.#changesUntilNow(from);
      const isLost = wasLost || this.#isLost || changes.isAnything;
      if (isLost) await this.#startOver(from);
      await this.#regroup(from, changes); // before anything is sent to users from whom it is now hidden
      const told = await this.#tellEntities(from, changes, isLost);
      const ends = await this.#admit(from, waiting);
      this.#waiting.splice(0, waiting.length);
      for (const end of ends) end();
      return told;
    });
    await this.#tellWork(found);
    if (this.#audiences.dropOld()) this.#forget();
  }

  /** Changes up to the state of this snapshot, and nothing later. */
  async #changesUntilNow(from: Reads): Promise<Changes> {
    const { feed } = this.#parts.db;
    const sequence = await sequenceOf(from);
    // Committed, but the listener has not been called yet; that follows at once.
    while (feed.sequence < sequence && feed.isPending) await new Promise((resolve) => setImmediate(resolve));
    const changes = new Changes();
    const later = this.#queue.findIndex((batch) => batch.sequence > sequence);
    const taken = this.#queue.splice(0, later < 0 ? this.#queue.length : later);
    for (const batch of taken) changes.take(batch);
    return changes;
  }

  async #startOver(from: Reads): Promise<void> {
    for (const audience of this.#audiences.all)
      if (audience.seen !== null) audience.seen = await seenIn(from, audience.scope);
    this.#libraries = await liveLibraries(from);
  }

  async #tellEntities(from: Reads, changes: Changes, isLost: boolean): Promise<Work> {
    const { clock } = this.#parts;
    const audiences = this.#audiences.all;
    const at = clock.now();
    const before = this.#libraries;
    if (changes.libraries.touched.size + changes.libraries.removed.size > 0 || before.size === 0)
      this.#libraries = await liveLibraries(from);
    if (isLost) {
      for (const stream of STREAMS) this.#announcer.tell(stream, audiences, () => [{ type: 'resync', at }]);
    } else if (audiences.length > 0) {
      const looked = await lookUp(from, changes, audiences);
      const libraries = { before, now: this.#libraries };
      const news = new EntityNews({ changes, looked, libraries, at, nowMs: performance.now() });
      const entities = new Map(audiences.map((audience) => [audience, news.of(audience)]));
      const others = await appNews(from, { changes, libraries: this.#libraries, at }, audiences);
      this.#tellAll(audiences, (audience) => entities.get(audience) ?? []);
      this.#announcer.tellMore(others);
      this.#payLater();
    }
    return audiences.length === 0 ? NO_WORK : workIn(from, changes, this.#libraries);
  }

  /** In both streams that tell of entities. */
  #tellAll(audiences: readonly Audience[], newsFor: (audience: Audience) => readonly News[]): void {
    for (const stream of ['entities', 'apps'] as const) this.#announcer.tell(stream, audiences, newsFor);
  }

  /** Outside the snapshot: the status of a scan needs reads of its own. */
  async #tellWork({ tasks, scans, areAnyTasks }: Work): Promise<void> {
    const audiences = this.#audiences.all;
    const at = this.#parts.clock.now();
    this.#announcer.tell('tasks', audiences, (audience) => {
      if (areAnyTasks) return [{ type: 'resync', at }];
      return tasks.flatMap((task) => taskFor(audience, task) ?? []);
    });
    if (scans.length === 0) return;
    for (const audience of audiences) {
      const news = await scanNews(this.#parts, audience, scans);
      this.#announcer.tell('scans', [audience], () => news);
    }
  }

  /** Moves clients whose restrictions changed, and ends those whose account no longer allows the stream. */
  async #regroup(from: Reads, { users, areAnyUsers, isAnything }: Changes): Promise<void> {
    const members = this.#audiences.all.flatMap((audience) => [...audience.members]);
    const concerned = members.filter(({ userKey }) => areAnyUsers || isAnything || users.has(userKey));
    if (concerned.length === 0) return;
    const keys = [...new Set(concerned.map(({ userKey }) => userKey))];
    const accounts = await accountsByKey(from, keys);
    const scopes = await scopesOfUsers(from, keys);
    for (const member of concerned) {
      const account = accounts.get(member.userKey);
      if (account?.isActive !== true) {
        this.leave(member);
        continue;
      }
      member.isAdministrator = account.isAdministrator;
      const scope = scopes.get(member.userKey) ?? EVERYTHING;
      if (nameOf(scope) === member.audience.name) continue;
      const { name } = member.audience;
      member.move(await this.#audiences.of(from, scope));
      this.#audiences.left(name);
    }
  }

  /** Returns the functions that settle them, to be called only after everything has succeeded. */
  async #admit(from: Reads, waiting: readonly Waiting[]): Promise<readonly (() => void)[]> {
    if (waiting.length === 0) return [];
    if (this.#libraries.size === 0) this.#libraries = await liveLibraries(from);
    const keys = [...new Set(waiting.map(({ caller }) => caller.user.key))];
    const accounts = await accountsByKey(from, keys);
    const scopes = await scopesOfUsers(from, keys);
    const ends: (() => void)[] = [];
    for (const { stream, caller, lastId, signal, resolve, reject } of waiting) {
      const account = accounts.get(caller.user.key);
      if (account?.isActive !== true) ends.push(() => reject(new AppError('Unauthorized', 'User not found')));
      else if (signal.aborted) ends.push(() => reject(new AppError('Cancelled')));
      else {
        const audience = await this.#audiences.of(from, scopes.get(account.key) ?? EVERYTHING);
        ends.push(() => {
          const user = { ...account, permissions: caller.permissions };
          resolve(new Subscription(stream, user, audience, lastId));
          for (const one of this.#audiences.beyondLimit(user.key)) this.leave(one);
          this.#keepingAlive ??= setInterval(() => this.keepAlive(), KEEP_ALIVE_MS).unref();
        });
      }
    }
    return ends;
  }

  /** Sends a keep-alive to all clients, so that no proxy considers their connections dead. */
  keepAlive(): void {
    for (const { members } of this.#audiences.all) for (const member of members) member.keepAlive();
  }

  /** Sends the library updates that are owed, at the end of each window. */
  #payLater(): void {
    if (this.#owing !== null || this.#loop.isStopped) return;
    if (this.#audiences.all.every(({ pace }) => pace.isIdle)) return;
    this.#owing = setTimeout(() => {
      this.#owing = null;
      const at = this.#parts.clock.now();
      const made = new Map<number, News>();
      const newsOf = (key: number): readonly News[] => {
        const id = this.#libraries.get(key);
        const news = made.get(key) ?? (id === undefined ? undefined : libraryChanged(id, at));
        if (news !== undefined) made.set(key, news);
        return news === undefined ? [] : [news];
      };
      const nowMs = performance.now();
      const due = new Map(this.#audiences.all.map((audience) => [audience, audience.pace.due(nowMs).flatMap(newsOf)]));
      this.#tellAll(this.#audiences.all, (audience) => due.get(audience) ?? []);
      this.#payLater();
    }, WINDOW_MS + 1).unref();
  }

  /** Nobody follows any more. */
  #forget(): void {
    this.#queue = [];
    this.#libraries = new Map();
  }
}
