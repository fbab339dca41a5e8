// Memory for images that are decoded as a whole: one budget for all threads, in shared memory, so that several huge pages are decoded one
// after the other. What a terminated thread held is released for it.
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

export const newDecodeRoom = (): SharedArrayBuffer => {
  const room = new SharedArrayBuffer(4);
  new Int32Array(room)[0] = DECODE_ROOM_BYTES / KB;
  return room;
};

/** True when that much was free and is now held by the job, besides what it held before. */
export const takeRoom = (room: Int32Array, control: Int32Array, bytes: number): boolean => {
  const wanted = Math.ceil(bytes / KB);
  for (;;) {
    const free = Atomics.load(room, 0);
    if (free < wanted) return false;
    if (Atomics.compareExchange(room, 0, free, free - wanted) !== free) continue;
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
  Atomics.add(room, 0, given);
  Atomics.notify(room, 0);
};
