// Makes a job wait until there is memory for what it decodes. The budget is shared by all threads of the pool; a job that runs without a
// pool has it to itself. The growth of the compiled readers of this thread is taken from it too, until the thread ends: a thread for whose
// memory others wait is replaced.
import { parentPort, workerData } from 'node:worker_threads';
import {
  beginWaiting,
  DECODE_ROOM_BYTES,
  endWaiting,
  giveRoom,
  heldBytes,
  isBeside,
  isExceeded,
  isWaitedFor,
  newDecodeRoom,
  takeRoom,
  waitForFree,
} from '../core/model/decode-budget.js';
import { AppError } from '../core/model/errors.js';
import { CONTROL, GROWTH } from '../core/model/jobs.js';
import { monotonicMs } from '../core/model/monotonic.js';
import type { RoomNews } from '../core/model/room-news.js';
import { noteLarge } from './decode-journal.js';
import { collectGarbage } from './heaps.js';

const given: unknown = workerData;
const room =
  typeof given === 'object' && given !== null && 'room' in given && given.room instanceof SharedArrayBuffer
    ? new Int32Array(given.room)
    : null;

/** What a job has that runs without a pool. */
const ownRoom = (): Int32Array => new Int32Array(newDecodeRoom(1));

/** How long a thread waits before it checks whether it should stop. */
const LOOK_MS = 50;

/** What passed to this thread from its jobs. */
let threadBytes = 0;
let isToBeMoved = false;

/** What the job and its thread hold. */
export const roomBytes = (shared: Int32Array): number => heldBytes(shared) + threadBytes;

/** Has the pool end threads without a job: that memory is needed here. */
const tellLack = (): void => parentPort?.postMessage({ lacksRoom: true } satisfies RoomNews);

/** What is taken is no ordinary image, and the journal of this thread says so before it is decoded. */
const taken = (budget: Int32Array, shared: Int32Array, bytes: number): boolean => {
  const wasExceeded = isExceeded(budget);
  const isTaken = takeRoom(budget, shared, bytes, budget === room ? threadBytes : 0);
  if (!isTaken) return false;
  noteLarge();
  if (!wasExceeded && isExceeded(budget)) tellLack();
  return true;
};

/** Takes more without waiting; false when there is not that much. */
export const tryRoom = (shared: Int32Array, bytes: number): boolean =>
  bytes <= DECODE_ROOM_BYTES && (bytes === 0 || taken(room ?? ownRoom(), shared, bytes));

/** For the growth of a reader. */
export const growRoom = (shared: Int32Array, bytes: number): boolean => {
  Atomics.compareExchange(shared, CONTROL.growth, GROWTH.none, GROWTH.seen);
  return tryRoom(shared, bytes);
};

/** True for a job that grew in another thread, as long as it holds nothing. */
export const growsAtFirst = (shared: Int32Array): boolean =>
  Atomics.load(shared, CONTROL.growth) === GROWTH.expected && roomBytes(shared) === 0;

/** Frees what the job holds, except for so many bytes. */
export const leaveRoom = (shared: Int32Array, stillTaken: number): void => {
  if (heldBytes(shared) > 0) giveRoom(room ?? ownRoom(), shared, Math.max(0, stillTaken - threadBytes));
};

/** The same at its end: what is still taken passes to the thread. */
export const endRoom = (shared: Int32Array, stillTaken: number): void => {
  leaveRoom(shared, stillTaken);
  threadBytes += heldBytes(shared);
};

/** True when other jobs wait for what this thread holds. */
export const isRoomWanted = (): boolean => threadBytes > 0 && room !== null && isWaitedFor(room);

/** Call this before each job. */
export const beginRoom = (): void => {
  isToBeMoved = false;
};

/** True when the job that ended last, without a result, is to be run by another thread. */
export const isMoved = (): boolean => isToBeMoved;

interface Need {
  /** The shared memory of the job. */
  readonly shared: Int32Array;
  readonly bytes: number;
  /** Called repeatedly while the thread waits; throws when the job has to stop. */
  readonly onWait: () => void;
  /** Whether somebody waits for the job. */
  readonly hasCaller: boolean;
}

/** Blocks the thread while it waits: it has no other work. */
export const enterRoom = (need: Need): void => {
  const { shared, bytes } = need;
  if (bytes > DECODE_ROOM_BYTES)
    throw new AppError('LimitExceeded', 'Decoding the image takes more memory than this server allows for one image.');
  if (bytes === 0) return;
  if (room === null) takeRoom(ownRoom(), shared, bytes);
  else {
    waitForRoom(room, need);
    waitForOthers(room, need);
  }
};

/** Most jobs end sooner. After this time the pool is asked to replace idle threads that hold memory. */
const PATIENT_MS = 250;
/** Two jobs that wait while they hold memory may wait for each other: one of them gives up. */
const HOLDING_WAIT_MS = 10_000;
/** A page may hold memory alone until its deadline; whoever waits for another one waits no longer than that, and a little. */
const CALLER_WAIT_MS = 35_000;

const waitForRoom = (room: Int32Array, need: Need): void => {
  if (isEntered(room, need, PATIENT_MS)) return;
  beginWaiting(room, need.shared);
  try {
    // Other jobs may wait for what this thread holds, so this one waits in a thread that holds nothing.
    const isHolding = heldBytes(need.shared) > 0;
    isToBeMoved = threadBytes > 0 || (isHolding && need.shared[CONTROL.growth] === GROWTH.seen);
    const mostMs = isHolding ? HOLDING_WAIT_MS : need.hasCaller ? CALLER_WAIT_MS : Number.POSITIVE_INFINITY;
    const untilMs = monotonicMs() + mostMs;
    while (!isToBeMoved && monotonicMs() < untilMs) {
      tellLack();
      if (isEntered(room, need, PATIENT_MS)) return;
    }
  } finally {
    endWaiting(room, need.shared);
  }
  throw new AppError('Overloaded', 'There is not enough memory for this image at the moment. Try again later.');
};

/** Most jobs end sooner. */
const OTHERS_WAIT_MS = 2000;

/** A job that holds most of the memory waits until fewer others run. */
const waitForOthers = (room: Int32Array, need: Need): void => {
  if (isExceeded(room)) collectGarbage();
  const untilMs = monotonicMs() + OTHERS_WAIT_MS;
  while (isBeside(room) && monotonicMs() < untilMs) waitALittle(room, need);
};

/** False when there was not enough in that time. */
const isEntered = (room: Int32Array, need: Need, ms: number): boolean => {
  const untilMs = monotonicMs() + ms;
  while (!taken(room, need.shared, need.bytes)) {
    if (monotonicMs() > untilMs) return false;
    waitALittle(room, need);
  }
  return true;
};

const waitALittle = (room: Int32Array, { shared, onWait }: Need): void => {
  onWait();
  const sinceMs = monotonicMs();
  waitForFree(room, LOOK_MS);
  Atomics.add(shared, CONTROL.waitedMs, Math.ceil(monotonicMs() - sinceMs));
};
