// Makes a job wait until there is memory for what it decodes. The budget is shared by all threads of the pool; a job that runs without a
// pool has it to itself.
import { workerData } from 'node:worker_threads';
import { DECODE_ROOM_BYTES, giveRoom, heldBytes, newDecodeRoom, takeRoom } from '../core/model/decode-budget.js';
import { AppError } from '../core/model/errors.js';
import { monotonicMs } from '../core/model/monotonic.js';
import { noteLarge } from './decode-journal.js';

const given: unknown = workerData;
const room =
  typeof given === 'object' && given !== null && 'room' in given && given.room instanceof SharedArrayBuffer
    ? new Int32Array(given.room)
    : null;

/** What a job has that runs without a pool. */
const ownRoom = (): Int32Array => new Int32Array(newDecodeRoom());

/** How long a thread waits before it checks whether it should stop. */
const LOOK_MS = 50;

/** What is taken is no ordinary image, and the journal of this thread says so before it is decoded. */
const taken = (budget: Int32Array, shared: Int32Array, bytes: number): boolean => {
  const isTaken = takeRoom(budget, shared, bytes);
  if (isTaken) noteLarge();
  return isTaken;
};

/** Takes more without waiting; false when there is not that much. */
export const tryRoom = (shared: Int32Array, bytes: number): boolean =>
  bytes <= DECODE_ROOM_BYTES && (bytes === 0 || taken(room ?? ownRoom(), shared, bytes));

/** Frees what the job holds, except for so many bytes. */
export const leaveRoom = (shared: Int32Array, stillTaken: number): void => {
  giveRoom(room ?? ownRoom(), shared, stillTaken);
};

interface Need {
  /** The shared memory of the job. */
  readonly shared: Int32Array;
  readonly bytes: number;
  /** Called repeatedly while the thread waits; throws when the job has to stop. */
  readonly onWait: () => void;
}

/** Blocks the thread while it waits: it has no other work. */
export const enterRoom = ({ shared, bytes, onWait }: Need): void => {
  if (bytes > DECODE_ROOM_BYTES)
    throw new AppError('LimitExceeded', 'Decoding the image takes more memory than this server allows for one image.');
  if (bytes === 0) return;
  if (room === null) takeRoom(ownRoom(), shared, bytes);
  else waitForRoom(room, { shared, bytes, onWait });
};

/** Two jobs that wait while they hold memory may wait for each other: one of them gives up. */
const HOLDING_WAIT_MS = 10_000;

const waitForRoom = (room: Int32Array, { shared, bytes, onWait }: Need): void => {
  const untilMs = heldBytes(shared) > 0 ? monotonicMs() + HOLDING_WAIT_MS : Number.POSITIVE_INFINITY;
  while (!taken(room, shared, bytes)) {
    onWait();
    if (monotonicMs() > untilMs)
      throw new AppError('Overloaded', 'There is not enough memory for this image now. Please try again.');
    Atomics.wait(room, 0, Atomics.load(room, 0), LOOK_MS);
  }
};
