// Memory of the WASM modules of this thread. It never shrinks: a thread whose modules have grown too large is replaced after its job.

const meters: (() => number)[] = [];

/** A module that was loaded: how many bytes its memory has now. */
export const countHeap = (bytes: () => number): void => {
  meters.push(bytes);
};

/** One hostile archive or document may make a module grow to 2 GiB; what real ones need stays far below this. */
const HEAP_MAX_BYTES = 256 * 1024 * 1024;

export const heapBytes = (): number => meters.reduce((sum, bytes) => sum + bytes(), 0);

export const isHeapTooLarge = (): boolean => heapBytes() > HEAP_MAX_BYTES;
