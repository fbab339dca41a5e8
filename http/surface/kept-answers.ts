// Finished answers, kept while nothing they rest on has changed: the same list asked again takes no query, and a client that still has it
// is told so (RFC 9110 13.1.2). Rows say that they may be kept. The key holds everything such an answer depends on but the data itself:
// address, body, user, permissions and scope. The data is dated by the newest change of the catalog or of what this user has read. Only for
// those who may see all of it, the tag is that date; for others it would tell that something hidden changed, so it is made of the answer.
import { createHash } from 'node:crypto';
import { type BoundedMap, boundedByBytes } from '../../core/model/bounded-map.js';
import { isLimited, type Viewer } from '../../core/model/viewer.js';
import type { Feed } from '../../core/store/feed.js';
import type { Versions } from '../../core/store/versions.js';
import type { Reply, Request } from '../server/adapter.js';
import { hasTag, requireMatch } from './preconditions.js';

const MIB = 1024 * 1024;
const BYTES_MAX = 16 * MIB;
/** Longer ones are made again: one of them would displace too many others. */
const ANSWER_SHARE = 16;
const BODY_MAX = 4096;
/** Nobody has asked for this long: the memory is worth more than the answers. */
const REST_MS = 5 * 60_000;
/** Besides its bytes, its compressed forms and its key, about. */
const ENTRY_BYTES = 1000;
/** A list compresses to less than a fifth; it may be kept in two such forms. */
const FORMS = 1.5;

interface Kept {
  readonly version: number;
  readonly tag: string;
  readonly reply: Reply;
  readonly bytes: number;
}

interface Asked {
  readonly request: Request;
  readonly viewer: Viewer;
  /** The address of the server that the answer contains; '' for none. */
  readonly base?: string;
}

/** Others have no business knowing that an account was added, or a book that is hidden from them. */
const seesAll = ({ administers, scope }: Viewer): boolean => administers && !isLimited(scope);

const shortHash = (parts: readonly (string | Uint8Array)[]): string => {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part);
  return hash.digest('base64url').slice(0, 22);
};

const CACHING = ['Cache-Control', 'private, no-cache'] as const;

const notModified = (tag: string): Reply => ({
  status: 304,
  headers: [['ETag', `W/"${tag}"`], CACHING, ['Vary', 'Accept-Encoding']],
  body: { kind: 'none' },
});

/** Tags are for GET and HEAD; the answer to a search by POST is kept without one. */
const isTagged = ({ method }: Request): boolean => method === 'GET' || method === 'HEAD';

export interface KeptAnswersOptions {
  readonly feed: Feed;
  readonly versions: Versions;
  /** Of the program: another one may make other answers of the same data. */
  readonly release: string;
  readonly bytesMax?: number;
  readonly restMs?: number;
  /** Called when they have been dropped: their memory is freed by the next collection, and an idle program makes none. */
  readonly onDropped?: () => void;
}

export class KeptAnswers {
  readonly #feed: Feed;
  readonly #versions: Versions;
  readonly #release: string;
  readonly #answerMax: number;
  readonly #restMs: number;
  readonly #onDropped: () => void;
  readonly #kept: BoundedMap<string, Kept>;
  /** What the answer to a viewer depends on; a viewer is the same object until something about them changes. */
  readonly #viewers = new WeakMap<Viewer, string>();
  #resting: NodeJS.Timeout | null = null;
  #wasUsed = false;

  constructor(options: KeptAnswersOptions) {
    const { feed, versions, release, bytesMax = BYTES_MAX, restMs = REST_MS, onDropped = () => undefined } = options;
    this.#feed = feed;
    this.#versions = versions;
    this.#release = release;
    this.#onDropped = onDropped;
    this.#restMs = restMs;
    this.#answerMax = bytesMax / ANSWER_SHARE;
    this.#kept = boundedByBytes(bytesMax, ({ bytes }, key) => ENTRY_BYTES + FORMS * bytes + 2 * key.length);
  }

  get size(): number {
    return this.#kept.size;
  }

  /** The kept answer, 304 for a client that has it, or what `make` makes; that is kept if it is an answer (200) in one piece. */
  answer(asked: Asked, make: () => Reply | Promise<Reply>): Reply | Promise<Reply> {
    if (isTagged(asked.request) && asked.request.header('if-match') !== '') return this.#ifMatching(asked, make);
    return this.#conditional(asked, make);
  }

  /** Our tags are weak, and no weak tag matches (RFC 9110 13.1.1). What would be refused anyhow is refused as it would be (13.2.1). */
  async #ifMatching(asked: Asked, make: () => Reply | Promise<Reply>): Promise<Reply> {
    const reply = await this.#conditional(asked, make);
    requireMatch(asked.request.header('if-match'), null);
    return reply;
  }

  #conditional(asked: Asked, make: () => Reply | Promise<Reply>): Reply | Promise<Reply> {
    const key = this.#keyOf(asked);
    if (key === undefined) return make();
    const version = this.#versions.of(asked.viewer.userKey);
    const known = this.#known(asked, key, version);
    if (known !== undefined) return known;
    const wasPending = this.#feed.isPending;
    const keep = (reply: Reply): Reply => {
      const hasChanged = wasPending || this.#feed.isPending || this.#versions.of(asked.viewer.userKey) !== version;
      return this.#keep(asked, { key, version: hasChanged ? null : version }, reply);
    };
    const reply = make();
    return reply instanceof Promise ? reply.then(keep) : keep(reply);
  }

  /** Frees the memory once nobody has asked for a while. Tags remain good. */
  #restLater(): void {
    this.#resting ??= setTimeout(() => {
      this.#resting = null;
      if (this.#wasUsed) this.#restLater();
      else {
        this.#kept.clear();
        this.#onDropped();
      }
      this.#wasUsed = false;
    }, this.#restMs).unref();
  }

  #known({ request, viewer }: Asked, key: string, version: number): Reply | undefined {
    const wanted = isTagged(request) ? request.header('if-none-match') : '';
    this.#wasUsed = true;
    const kept = this.#kept.get(key);
    if (kept !== undefined && kept.version === version)
      return wanted !== '' && hasTag(wanted, kept.tag) ? notModified(kept.tag) : kept.reply;
    // `*` asks whether there is anything, which nobody knows yet. A tag was only given with an answer.
    if (wanted === '' || wanted.trim() === '*' || !seesAll(viewer)) return undefined;
    const tag = this.#tagOf(key, version);
    return hasTag(wanted, tag) ? notModified(tag) : undefined;
  }

  /**
   * `version`: null when something was written meanwhile. Then nothing is kept, and only a tag that is made of the answer is true. Whoever
   * has such tags always gets one: its absence would tell that something was written.
   */
  #keep({ request, viewer }: Asked, { key, version }: { key: string; version: number | null }, reply: Reply): Reply {
    if (reply.status !== 200 || reply.body.kind !== 'bytes' || reply.isPassing === true) return reply;
    if (version === null && seesAll(viewer)) return reply;
    const bytes = Buffer.from(reply.body.bytes);
    const tag =
      version !== null && seesAll(viewer) ? this.#tagOf(key, version) : shortHash([this.#release, key, bytes]);
    const headers = reply.headers.filter(([name]) => name !== 'Cache-Control');
    const finished: Reply = {
      ...reply,
      headers: [...headers, CACHING, ...(isTagged(request) ? [['ETag', `W/"${tag}"`] as const] : [])],
      body: { kind: 'bytes', bytes, encoded: new Map() },
    };
    const wanted = isTagged(request) ? request.header('if-none-match') : '';
    const sent = wanted !== '' && wanted.trim() !== '*' && hasTag(wanted, tag) ? notModified(tag) : finished;
    if (version === null || bytes.length > this.#answerMax) return sent;
    this.#kept.set(key, { version, tag, reply: finished, bytes: bytes.length });
    this.#restLater();
    return sent;
  }

  /** Undefined for a body that is too long to compare. */
  #keyOf({ request, viewer, base = '' }: Asked): string | undefined {
    const { body, path, query } = request;
    if (body.length > BODY_MAX) return undefined;
    const method = isTagged(request) ? 'GET' : request.method;
    const sent = body.length === 0 ? '' : Buffer.from(body).toString('latin1');
    const type = method === 'GET' ? '' : request.header('content-type');
    return `${this.#ofViewer(viewer)} ${method} ${base}${path}?${query} ${type} ${sent}`;
  }

  #ofViewer(viewer: Viewer): string {
    const known = this.#viewers.get(viewer);
    if (known !== undefined) return known;
    const text = `${viewer.userKey} ${[...viewer.permissions].sort().join()} ${viewer.administers} ${JSON.stringify(viewer.scope)}`;
    const short = createHash('sha256').update(text).digest('base64url');
    this.#viewers.set(viewer, short);
    return short;
  }

  #tagOf(key: string, version: number): string {
    // As a hash: the number itself would tell how much is written by others.
    return shortHash([`${this.#release} ${this.#versions.epoch} ${version} ${key}`]);
  }
}
