// Memory of this thread. That of its WASM modules never shrinks, that of its JavaScript objects only late. A thread whose modules have grown
// too large, or were interrupted in the middle of an operation, is replaced after its job.
import { getHeapStatistics } from 'node:v8';

const meters: (() => number)[] = [];

/** A loaded module: how many bytes its memory has now. */
export const countHeap = (bytes: () => number): void => {
  meters.push(bytes);
};

/** One malicious archive or document may make a module grow to 2 GiB; real ones need far less. */
const HEAP_MAX_BYTES = 256 * 1024 * 1024;

interface Memory {
  readonly buffer: ArrayBufferLike;
  grow(pages: number): number;
}

declare const WebAssembly: { readonly Memory: { readonly prototype: Memory } };

/** A module that asks for more gets an out-of-memory error, which its own code handles: a packing window of 512 MiB still fits. */
const GROWTH_MAX_BYTES = 768 * 1024 * 1024;
const PAGE_BYTES = 64 * 1024;

/** The modules would take 2 GiB each before they give up; their allocation is the only place to stop a decoder that went wrong. */
const boundGrowth = (memory: Memory): void => {
  const grow = memory.grow;
  memory.grow = function (this: Memory, pages: number): number {
    if (this.buffer.byteLength + pages * PAGE_BYTES > GROWTH_MAX_BYTES) throw new RangeError('no more memory');
    return grow.call(this, pages);
  };
};

boundGrowth(WebAssembly.Memory.prototype);

/** What the JavaScript objects of any thread may take; texts of malicious metadata take three times as much. */
const OBJECTS_BYTES = 36 * 1024 * 1024;

/** Memory of the compiled readers. */
export const modulesBytes = (): number => meters.reduce((sum, bytes) => sum + bytes(), 0);

/** What would be freed if this thread were replaced. */
export const heapBytes = (): number =>
  modulesBytes() + Math.max(0, getHeapStatistics().total_heap_size - OBJECTS_BYTES);

let hasTrapped = false;

/** Compiled code was interrupted in the middle: by a trap, or because the stack was used up. */
const isTrap = (thrown: unknown): boolean =>
  thrown instanceof Error &&
  (thrown.name === 'RuntimeError' || (thrown instanceof RangeError && /call stack/i.test(thrown.message)));

/** After a trap the memory of a module may be in any state: the thread gets no other job. True if it was a trap. */
export const noteTrap = (thrown: unknown): boolean => {
  hasTrapped ||= isTrap(thrown);
  return isTrap(thrown);
};

export const wasTrapped = (): boolean => hasTrapped;

/** True when this thread should not be given another job. */
export const isHeapSpent = (): boolean => hasTrapped || modulesBytes() > HEAP_MAX_BYTES;
