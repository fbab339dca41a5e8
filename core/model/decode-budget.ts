// Memory for images that are decoded as a whole and for the growth of compiled readers: one budget for all threads, in shared memory, so that
// several huge pages are decoded one after the other. Jobs that run together share a part of it; only one that holds memory alone may take
// more. What a terminated thread held is released for it.
import { CONTROL } from './jobs.js';

const KB = 1024;
/** Also the most that one image may take: 64 megapixels of four bytes. */
export const DECODE_ROOM_BYTES = 256 * 1024 * KB;

/**
 * Of JPEG XL, by pixel: at least what a lossy one takes, with its pixels; lossless ones and those with opacity take more. All of them need what
 * the decoder has at its start.
 */
const JXL = { leastBytes: 37, mostBytes: 64, startBytes: 20 * 1024 * KB };

/** One with more pixels is not decoded. */
export const JXL_PIXELS_MAX = Math.floor((DECODE_ROOM_BYTES - JXL.startBytes) / JXL.leastBytes);

/** What decoding a JPEG XL may take; more than the budget for one that cannot be decoded within it. */
export const jxlBytes = (pixels: number): number =>
  pixels > JXL_PIXELS_MAX
    ? pixels * JXL.leastBytes + JXL.startBytes
    : Math.min(pixels * JXL.mostBytes + JXL.startBytes, DECODE_ROOM_BYTES);

/** What jobs share that run together: a large page beside the others would exceed the memory that the process is meant to have. */
const SHARED_BYTES = 112 * 1024 * KB;
/** With many threads they share more, up to the whole budget. */
const SHARED_OF_THREAD_BYTES = 28 * 1024 * KB;

const sharedBytes = (threads: number): number =>
  Math.min(DECODE_ROOM_BYTES, Math.max(SHARED_BYTES, threads * SHARED_OF_THREAD_BYTES));

/** Slots in the shared memory of the budget, one Int32 each. */
const ROOM = {
  /** Of what jobs share; negative while one holds more than that. */
  freeKb: 0,
  /** Jobs that have waited for a while. */
  waiting: 1,
  /** What jobs share when nobody holds any of it. */
  sharedKb: 2,
  /** Jobs that run beyond those that may run while one holds more than what is shared. */
  beyond: 3,
} as const;

export const newDecodeRoom = (threads: number): SharedArrayBuffer => {
  const room = new Int32Array(new SharedArrayBuffer(4 * Int32Array.BYTES_PER_ELEMENT));
  room[ROOM.freeKb] = room[ROOM.sharedKb] = sharedBytes(threads) / KB;
  return room.buffer;
};

/** Called by a job that has waited for a while. */
export const beginWaiting = (room: Int32Array, control: Int32Array): void => {
  if (Atomics.exchange(control, CONTROL.waits, 1) === 0) Atomics.add(room, ROOM.waiting, 1);
};

/** Called when it waits no longer, and for a thread that was terminated meanwhile: its own code does not run any more. */
export const endWaiting = (room: Int32Array, control: Int32Array): void => {
  if (Atomics.exchange(control, CONTROL.waits, 0) === 1) Atomics.sub(room, ROOM.waiting, 1);
};

export const isWaitedFor = (room: Int32Array): boolean => Atomics.load(room, ROOM.waiting) > 0;

/** True while a job holds more than what jobs share. */
export const isExceeded = (room: Int32Array): boolean => Atomics.load(room, ROOM.freeKb) < 0;

export const noteBeyond = (room: Int32Array, jobs: number): void => {
  Atomics.store(room, ROOM.beyond, jobs);
};

/** True while a job holds more than what is shared, and others run that need memory of their own. */
export const isBeside = (room: Int32Array): boolean => isExceeded(room) && Atomics.load(room, ROOM.beyond) > 0;

/** True when that much was free and is now held by the job, besides what it and its thread held before. */
export const takeRoom = (room: Int32Array, control: Int32Array, bytes: number, threadBytes = 0): boolean => {
  const wanted = Math.ceil(bytes / KB);
  const shared = Atomics.load(room, ROOM.sharedKb);
  const own = Atomics.load(control, CONTROL.held) + threadBytes / KB;
  if (own + wanted > DECODE_ROOM_BYTES / KB) return false;
  for (;;) {
    const free = Atomics.load(room, ROOM.freeKb);
    const isFree = own + wanted <= shared ? free >= wanted : free + own >= shared;
    if (!isFree) return false;
    if (Atomics.compareExchange(room, ROOM.freeKb, free, free - wanted) !== free) continue;
    Atomics.add(control, CONTROL.held, wanted);
    return true;
  }
};

/** What a job holds. */
export const heldBytes = (control: Int32Array): number => Atomics.load(control, CONTROL.held) * KB;

/** Releases what a job holds beyond `stillTaken` bytes, if anything. */
export const giveRoom = (room: Int32Array, control: Int32Array, stillTaken = 0): void => {
  const held = Atomics.load(control, CONTROL.held);
  const given = held - Math.min(held, Math.ceil(stillTaken / KB));
  if (given === 0) return;
  Atomics.sub(control, CONTROL.held, given);
  addFree(room, given);
};

const addFree = (room: Int32Array, kb: number): void => {
  Atomics.add(room, ROOM.freeKb, kb);
  Atomics.notify(room, ROOM.freeKb);
};

/** What a job still holds at its end passes to its thread. In kilobytes. */
export const passToThread = (control: Int32Array): number => Atomics.exchange(control, CONTROL.held, 0);

/** Releases what a thread held, once it has ended. */
export const releaseForThread = (room: Int32Array, kb: number): void => {
  if (kb > 0) addFree(room, kb);
};

/** Sleeps until memory may have been released, but no longer than this. */
export const waitForFree = (room: Int32Array, ms: number): void => {
  Atomics.wait(room, ROOM.freeKb, Atomics.load(room, ROOM.freeKb), ms);
};
