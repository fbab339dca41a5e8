// A JSON array that is generated row by row: a short one is sent in one piece, a long one while it is being generated.
import type { Reply } from '../server/adapter.js';
import { json } from '../surface/reply.js';

/** So much is collected before a long array is sent; after that, one row at a time. */
const SHORT_CHARS = 1024 * 1024;

async function* pieces(start: string, begun: readonly string[], rest: AsyncGenerator<string>, end: string) {
  yield start + begun.join();
  for await (const row of rest) yield `,${row}`;
  yield end;
}

/** Fills the first array of an answer, which is empty, with rows of JSON. */
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
