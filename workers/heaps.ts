// Memory of the WASM modules of this thread. It never shrinks: a thread whose modules have grown too large, or were left in the middle of
// something, is replaced after its job.

const meters: (() => number)[] = [];

/** A module that was loaded: how many bytes its memory has now. */
export const countHeap = (bytes: () => number): void => {
  meters.push(bytes);
};

/** One hostile archive or document may make a module grow to 2 GiB; what real ones need stays far below this. */
const HEAP_MAX_BYTES = 256 * 1024 * 1024;

export const heapBytes = (): number => meters.reduce((sum, bytes) => sum + bytes(), 0);

let hasTrapped = false;

/** Compiled code was left in the middle: by a trap, or because the stack was used up. */
const isTrap = (thrown: unknown): boolean =>
  thrown instanceof Error &&
  (thrown.name === 'RuntimeError' || (thrown instanceof RangeError && /call stack/i.test(thrown.message)));

/** After a trap the memory of a module may be in any state: the thread gets no other job. True when it was one. */
export const noteTrap = (thrown: unknown): boolean => {
  hasTrapped ||= isTrap(thrown);
  return isTrap(thrown);
};

export const wasTrapped = (): boolean => hasTrapped;

/** True when this thread should not be given another job. */
export const isHeapSpent = (): boolean => hasTrapped || heapBytes() > HEAP_MAX_BYTES;
