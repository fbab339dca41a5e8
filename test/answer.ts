// A reply as tests read it.
import { readSync } from 'node:fs';
import type { Reply } from '../http/server/adapter.js';
import { FOR_DATA } from '../http/server/security-headers.js';

export interface Answer {
  readonly status: number;
  /** The values of a repeated header are lines. */
  header(name: string): string | undefined;
  readonly bytes: Buffer;
  /** The body as JSON; undefined when it is empty. Tests read into it freely. */
  // biome-ignore lint/suspicious/noExplicitAny: a test names the fields it expects, and a missing one fails it
  readonly json: any;
}

const bytesOf = async ({ body }: Reply): Promise<Buffer> => {
  if (body.kind === 'none') return Buffer.alloc(0);
  if (body.kind === 'bytes') return Buffer.from(body.bytes);
  if (body.kind === 'lent') return Buffer.from(body.read() ?? '');
  if (body.kind === 'stream') {
    const pieces: Buffer[] = [];
    const left = new AbortController();
    for await (const piece of body.open(left.signal)) {
      pieces.push(Buffer.from(piece));
      if (!body.isLive) continue;
      left.abort(); // the others come as things happen
      break;
    }
    return Buffer.concat(pieces);
  }
  const bytes = Buffer.alloc(body.length);
  readSync(body.fd, bytes, 0, body.length, body.offset);
  body.release();
  return bytes;
};

export const answerOf = async (reply: Reply): Promise<Answer> => {
  const bytes = await bytesOf(reply);
  const header = (wanted: string): string | undefined => {
    const found = [...reply.headers, ...(reply.security ?? FOR_DATA).list].filter(
      ([name]) => name.toLowerCase() === wanted.toLowerCase(),
    );
    return found.length === 0 ? undefined : found.map(([, value]) => value).join('\n');
  };
  const isJson = header('content-type')?.includes('json') === true && bytes.length > 0;
  return {
    status: reply.status,
    header,
    bytes,
    json: isJson ? JSON.parse(bytes.toString()) : undefined,
  };
};
