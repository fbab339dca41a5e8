// Reads a page once there is memory for it, and makes sure of the memory for decoding it, which only its bytes tell.
import { DECODE_ROOM_BYTES } from '../core/model/decode-budget.js';
import { AppError } from '../core/model/errors.js';
import { GROWTH_MAX_BYTES, tookRefusal } from './heaps.js';
import type { PageSource } from './page-source.js';
import type { Run } from './step.js';

/**
 * Work of the compiled readers. One that is denied memory is done again while it holds the whole budget for decoding, so that only one at a
 * time takes more than is ordinary. What does not fit then either fails by itself.
 */
export const withModuleRoom = async <T>(work: (isAlone: boolean) => Promise<T>, run: Rooms): Promise<T> => {
  tookRefusal();
  try {
    const done = await work(false);
    if (!tookRefusal()) return done;
  } catch (thrown) {
    if (!tookRefusal()) throw thrown;
  }
  run.leaveRoom();
  run.keepRoom(DECODE_ROOM_BYTES);
  return work(true);
};

interface Reading {
  /** What the page takes until it is decoded. */
  readonly bytes: number;
  readonly read: () => Promise<PageSource>;
  /** What decoding takes in addition. */
  readonly decodeBytesOf: (source: PageSource) => Promise<number>;
}

type Rooms = Pick<Run, 'keepRoom' | 'growRoom' | 'leaveRoom'>;

/** The page, or what decoding it takes if that is not free now. */
const tryReading = async ({ read, decodeBytesOf }: Reading, run: Rooms): Promise<PageSource | number> => {
  const source = await read();
  const more = await decodeBytesOf(source);
  return run.growRoom(more) ? source : more;
};

/** A page that counts for nothing may be held while waiting. */
const readOrdinary = async ({ read, decodeBytesOf }: Reading, run: Rooms): Promise<PageSource> => {
  const source = await read();
  run.keepRoom(await decodeBytesOf(source));
  return source;
};

/**
 * Memory for the page and for decoding it is held when this returns. A job that waited for the second while holding the first would block
 * the others: it frees what it holds, waits for both, and reads the page again.
 */
export const readInRoom = (reading: Reading, run: Rooms): Promise<PageSource> =>
  withModuleRoom((isAlone) => (isAlone ? readAlone(reading) : readWithin(reading, run)), run);

/** The job holds all there is. What its modules have grown to stays taken until it ends, so less is left for decoding. */
const readAlone = async ({ read, decodeBytesOf }: Reading): Promise<PageSource> => {
  const source = await read();
  if ((await decodeBytesOf(source)) <= DECODE_ROOM_BYTES - GROWTH_MAX_BYTES) return source;
  throw new AppError('LimitExceeded', 'Reading and decoding the page take more memory than this server allows.');
};

const readWithin = async (reading: Reading, run: Rooms): Promise<PageSource> => {
  if (reading.bytes === 0) return readOrdinary(reading, run);
  run.keepRoom(reading.bytes);
  const first = await tryReading(reading, run);
  if (typeof first !== 'number') return first;
  run.leaveRoom();
  run.keepRoom(first + reading.bytes);
  return reading.read();
};
