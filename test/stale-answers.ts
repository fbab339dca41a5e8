// Looks at every answer of the tests: one that was kept, or declared unchanged, has to be the same as one made now.
import type { App } from '../core/start.js';
import type { Reply, Request } from '../http/server/adapter.js';

type Made = Reply | Promise<Reply>;

const textOf = ({ body }: Reply): string => (body.kind === 'bytes' ? Buffer.from(body.bytes).toString() : '');
const tagOf = ({ headers }: Reply): string | undefined => headers.find(([name]) => name === 'ETag')?.[1];

export class StaleAnswers {
  readonly #feed: App['db']['feed'];
  /** Bytes that were sent before: the same object again is an answer out of the memory. */
  readonly #sent = new WeakSet<object>();
  /** What was sent under each weak tag. */
  readonly #byTag = new Map<string, string>();

  constructor({ db }: App) {
    this.#feed = db.feed;
  }

  async check(request: Request, answer: () => Made, remake: () => Made): Promise<Reply> {
    const { sequence } = this.#feed;
    const reply = await answer();
    const before = this.#before(reply);
    this.#note(reply);
    if (before === undefined) return reply;
    const now = await remake();
    // A change in between may be in one of them and not in the other.
    if (this.#feed.isPending || this.#feed.sequence !== sequence) return reply;
    if (now.status !== 200 || textOf(now) !== before)
      throw new Error(
        `a stale answer to ${request.method} ${request.path}?${request.query}: ${before.slice(0, 500)}\nnow ${now.status} ${textOf(now).slice(0, 500)}`,
      );
    return reply;
  }

  /** The text that the client has now, if it was not made for this request. */
  #before(reply: Reply): string | undefined {
    const tag = tagOf(reply);
    if (reply.status === 304 && tag?.startsWith('W/')) return this.#byTag.get(tag);
    return reply.body.kind === 'bytes' && typeof reply.body.bytes !== 'string' && this.#sent.has(reply.body.bytes)
      ? textOf(reply)
      : undefined;
  }

  #note(reply: Reply): void {
    const { body } = reply;
    if (reply.status !== 200 || body.kind !== 'bytes') return;
    if (typeof body.bytes !== 'string') this.#sent.add(body.bytes);
    const tag = tagOf(reply);
    if (tag?.startsWith('W/')) this.#byTag.set(tag, textOf(reply));
  }
}
