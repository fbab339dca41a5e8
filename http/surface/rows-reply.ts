// A reply with rows that may be large. It takes its size from the room for answers, and is made in slices between which others are served.
import { setImmediate } from 'node:timers/promises';
import type { AnswerSize } from '../../core/engine/answers.js';
import { AppError } from '../../core/model/errors.js';
import type { Reply } from '../server/adapter.js';
import { askerOf } from './request-parts.js';
import type { Ctx } from './route.js';

/** About ten milliseconds of work. */
const SLICE_BYTES = 1024 * 1024;

const slicesOf = <T>(rows: readonly T[], bytes: number): readonly (readonly T[])[] => {
  const length = Math.max(1, Math.floor((rows.length * SLICE_BYTES) / bytes));
  const slices: (readonly T[])[] = [];
  for (let at = 0; at < rows.length; at += length) slices.push(rows.slice(at, at + length));
  return slices;
};

/** Puts rows into the first list of a reply, which is empty. */
const filled = (reply: Reply, slices: readonly Buffer[]): Reply => {
  if (reply.body.kind !== 'bytes') return reply;
  const text = Buffer.from(reply.body.bytes);
  const start = text.indexOf('[') + 1;
  const rows = slices.flatMap((slice, at) => (at === 0 ? [slice] : [Buffer.from(','), slice]));
  const bytes = Buffer.concat([text.subarray(0, start), ...rows, text.subarray(start)]);
  return { ...reply, body: { kind: 'bytes', bytes } };
};

/** The same in one piece. */
const filledWith = (reply: Reply, rows: readonly string[]): Reply => {
  if (reply.body.kind !== 'bytes' || typeof reply.body.bytes !== 'string')
    return filled(reply, [Buffer.from(rows.join())]);
  const text = reply.body.bytes;
  const start = text.indexOf('[') + 1;
  return { ...reply, body: { kind: 'bytes', bytes: text.slice(0, start) + rows.join() + text.slice(start) } };
};

export interface Rows<T> {
  readonly size: AnswerSize;
  /** What rows are made of. */
  readonly from: readonly T[];
  /** Each row as JSON. */
  readonly make: (slice: readonly T[]) => Promise<readonly string[]>;
  /** The reply without rows. Its first list is that of the rows. */
  readonly empty: () => Reply;
}

export const rowsReply = <T>(
  ctx: Pick<Ctx<unknown>, 'app' | 'request' | 'viewer'>,
  { size, from, make, empty }: Rows<T>,
): Promise<Reply> =>
  ctx.app.answers.make(askerOf(ctx), size, async () => {
    if (size.bytes <= SLICE_BYTES || from.length === 1) return filledWith(empty(), await make(from));
    const slices: Buffer[] = [];
    for (const slice of slicesOf(from, size.bytes)) {
      if (ctx.request.signal.aborted) throw new AppError('Cancelled');
      const rows = await make(slice);
      if (rows.length > 0) slices.push(Buffer.from(rows.join()));
      await setImmediate();
    }
    return filled(empty(), slices);
  });
