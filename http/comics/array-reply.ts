// A JSON array that is made row by row: in one piece when it is short, sent while it is made when it is long.
import type { Reply } from '../server/adapter.js';
import { json } from '../surface/reply.js';

/** What is held of a long one before it is sent; then one row at a time. */
const SHORT_CHARS = 1024 * 1024;

async function* pieces(start: string, begun: readonly string[], rest: AsyncGenerator<string>, end: string) {
  yield start + begun.join();
  for await (const row of rest) yield `,${row}`;
  yield end;
}

/** Puts rows, each of them JSON, into the first array of an answer, which is empty. */
export const arrayReply = async (empty: unknown, rows: AsyncGenerator<string>): Promise<Reply> => {
  const text = JSON.stringify(empty);
  const at = text.indexOf('[') + 1;
  const [start, end] = [text.slice(0, at), text.slice(at)];
  const begun: string[] = [];
  let held = 0;
  while (held < SHORT_CHARS) {
    const next = await rows.next();
    if (next.done === true) return { ...json(200, null), body: { kind: 'bytes', bytes: start + begun.join() + end } };
    begun.push(next.value);
    held += next.value.length;
  }
  const { status, headers } = json(200, null);
  return { status, headers, body: { kind: 'stream', isLive: false, open: () => pieces(start, begun, rows, end) } };
};
