// Reads a page once there is memory for it, and makes sure of the memory for decoding it, which only its bytes tell.
import type { PageSource } from './page-source.js';
import type { Run } from './step.js';

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
export const readInRoom = async (reading: Reading, run: Rooms): Promise<PageSource> => {
  if (reading.bytes === 0) return readOrdinary(reading, run);
  run.keepRoom(reading.bytes);
  const first = await tryReading(reading, run);
  if (typeof first !== 'number') return first;
  run.leaveRoom();
  run.keepRoom(first + reading.bytes);
  return reading.read();
};
