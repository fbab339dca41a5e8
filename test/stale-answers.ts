// Looks at every answer of the tests that may be made of what was kept, whole or row by row, or be declared unchanged: it has to be the
// same as one made now.
import type { App } from '../core/start.js';
import type { Reply, Request } from '../http/server/adapter.js';
import type { Router } from '../http/surface/router.js';

type Made = Reply | Promise<Reply>;

const textOf = ({ body }: Reply): string => (body.kind === 'bytes' ? Buffer.from(body.bytes).toString() : '');
const tagOf = ({ headers }: Reply): string | undefined => headers.find(([name]) => name === 'ETag')?.[1];

export class StaleAnswers {
  readonly #feed: App['db']['feed'];
  readonly #router: Router;
  /** What was sent under each weak tag. */
  readonly #byTag = new Map<string, string>();

  constructor({ db }: App, router: Router) {
    this.#feed = db.feed;
    this.#router = router;
  }

  async check(request: Request, answer: () => Made, remake: () => Made): Promise<Reply> {
    const { sequence } = this.#feed;
    const reply = await answer();
    const before = this.#before(request, reply);
    if (before === undefined) return reply;
    const now = await remake();
    // A change in between may be in one of them and not in the other.
    if (this.#feed.isPending || this.#feed.sequence !== sequence || request.signal.aborted) return reply;
    if (now.status !== 200 || textOf(now) !== before)
      throw new Error(
        `a stale answer to ${request.method} ${request.path}?${request.query}: ${before.slice(0, 500)}\nnow ${now.status} ${textOf(now).slice(0, 500)}`,
      );
    return reply;
  }

  /** The text that the client has now, if the row may keep something. */
  #before({ method, path }: Request, reply: Reply): string | undefined {
    if (!this.#isKept(method, path)) return undefined;
    const tag = tagOf(reply) ?? '';
    if (reply.status === 304) return this.#byTag.get(tag);
    if (reply.status !== 200) return undefined;
    const text = textOf(reply);
    if (tag !== '') this.#byTag.set(tag, text);
    return text;
  }

  #isKept(method: string, path: string): boolean {
    try {
      return this.#router.find(method, path).compiled.route.kept;
    } catch {
      return false; // no such address
    }
  }
}
