// Reads a page once there is memory for it, and makes sure of the memory for decoding it, which only its bytes tell.
import { DECODE_ROOM_BYTES } from '../core/model/decode-budget.js';
import { AppError } from '../core/model/errors.js';
import { GROWTH_MAX_BYTES, GROWTH_ROOM_BYTES, lackedRoom, missingGrowthRoom, tookRefusal } from './heaps.js';
import type { PageSource } from './page-source.js';
import type { Run } from './step.js';

/**
 * Work of the compiled readers. One that is denied memory because another job is growing waits for its turn and is done again. One that asks
 * for more than any job may have fails by itself, the first time.
 */
export const withModuleRoom = async <T>(work: (isGrowing: boolean) => Promise<T>, run: Rooms): Promise<T> => {
  tookRefusal();
  if (run.isGrowing()) return withGrowthRoom(work, run);
  try {
    const done = await work(false);
    if (!lackedRoom()) return done;
  } catch (thrown) {
    if (!lackedRoom()) throw thrown;
  }
  return withGrowthRoom(work, run);
};

const withGrowthRoom = <T>(work: (isGrowing: boolean) => Promise<T>, run: Rooms): Promise<T> => {
  run.leaveRoom();
  run.keepRoom(missingGrowthRoom());
  return work(true);
};

/** What a job that holds the room for growing has to hold besides, for so many bytes. */
export const besideGrowth = (bytes: number): number => Math.max(0, bytes - (GROWTH_ROOM_BYTES - GROWTH_MAX_BYTES));

interface Reading {
  /** What the page takes until it is decoded. */
  readonly bytes: number;
  readonly read: () => Promise<PageSource>;
  /** What decoding takes in addition. */
  readonly decodeBytesOf: (source: PageSource) => Promise<number>;
}

type Rooms = Pick<Run, 'keepRoom' | 'growRoom' | 'leaveRoom' | 'isGrowing'>;

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
  withModuleRoom((isGrowing) => (isGrowing ? readGrown(reading, run) : readWithin(reading, run)), run);

/** What the modules have grown to stays taken until the job ends, so less is left for decoding. */
const readGrown = async ({ bytes, read, decodeBytesOf }: Reading, run: Rooms): Promise<PageSource> => {
  const source = await read();
  const decodeBytes = bytes + (await decodeBytesOf(source));
  if (decodeBytes <= DECODE_ROOM_BYTES - GROWTH_MAX_BYTES) {
    run.keepRoom(besideGrowth(decodeBytes));
    return source;
  }
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
