// Memory of this thread. That of its WASM modules never shrinks, that of its JavaScript objects only late. A thread whose modules have grown
// too large, or were interrupted in the middle of an operation, is replaced after its job.
import { getHeapStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

type Buffer = Pick<ArrayBufferLike, 'byteLength'>;

const meters: (() => Buffer)[] = [];

/** A module that stays loaded: its memory as it is now. */
export const countHeap = (memory: () => Buffer): void => {
  meters.push(memory);
};

const MB = 1024 * 1024;
/** Ordinary pages of PDF documents and entries of archives need less; one malicious file would make a module grow to 2 GiB. */
const HEAP_MAX_BYTES = 88 * MB;
/** The same after a file that wanted more than it may have. */
const DENIED_HEAP_MAX_BYTES = 32 * MB;

interface Memory {
  readonly buffer: ArrayBufferLike;
  grow(pages: number): number;
}

declare const WebAssembly: { readonly Memory: { readonly prototype: Memory } };

/** What a module may take outside the budget for decoding: the readers start with 16 and 22 MB. */
const UNCOUNTED_BYTES = 24 * MB;
/** Outside a job, a module may become as large as ordinary documents need. */
const ORDINARY_BYTES = 72 * MB;
/** How much larger the memory of a module may become, one job at a time. */
export const GROWTH_MAX_BYTES = 96 * MB;
/** A module never becomes larger than this. */
export const MODULE_MAX_BYTES = ORDINARY_BYTES + GROWTH_MAX_BYTES;
/** What a job holds of the budget that had to wait for memory: it does not wait again. */
export const GROWTH_ROOM_BYTES = MODULE_MAX_BYTES - UNCOUNTED_BYTES;
const PAGE_BYTES = 64 * 1024;
/** A module that grows first asks for a fifth more, then for less. */
const TRIED_BEYOND = 0.25;

/** The share of the budget for decoding that the job and its thread hold. */
interface Budget {
  readonly held: () => number;
  /** Takes more of it without waiting; false when that much is not free. */
  readonly take: (bytes: number) => boolean;
}

interface Refusal {
  readonly from: number;
  readonly to: number;
  /** It was more than any job may have. */
  readonly isFinal: boolean;
}

/** Outside a job there is no budget, and a module may become as large as an ordinary one. */
let budget: Budget = { held: () => ORDINARY_BYTES - UNCOUNTED_BYTES, take: () => false };
let refused: Refusal | null = null;
/** A module of this thread was denied memory, in this job or before: such files come in numbers, and their memory adds up. */
let wasDenied = false;

/** For the job that begins. */
export const boundHeaps = (ofJob: Budget): void => {
  budget = ofJob;
  refused = null;
};

/** True if a module was denied memory: its results since then are incomplete. */
export const wasRefused = (): boolean => refused !== null;

/** The same, and forgets it. */
export const tookRefusal = (): boolean => {
  const was = refused !== null;
  refused = null;
  return was;
};

/** True when a module was denied memory that another job held; forgets it too. */
export const lackedRoom = (): boolean => {
  const isPassing = refused?.isFinal === false;
  refused = null;
  return isPassing;
};

/** What the job lacks of the room for growing, besides what the modules have grown by: it may be another one that grows. */
export const missingGrowthRoom = (): number => Math.max(0, GROWTH_ROOM_BYTES + grownBytes() - budget.held());

const mayGrow = (counted: number): boolean => {
  const lacking = counted - budget.held();
  return lacking <= 0 || budget.take(lacking);
};

const countedOf = (bytes: number): number => Math.max(0, bytes - UNCOUNTED_BYTES);

/** What the modules take from the budget when one of them grows; a decoder of a single image is not among those that stay loaded. */
const countedAfter = (buffer: Buffer, to: number): number => {
  const others = meters.map((memory) => memory()).filter((memory) => memory !== buffer);
  return others.reduce((sum, { byteLength }) => sum + countedOf(byteLength), countedOf(to));
};

/**
 * The modules would take 2 GiB each before they give up; their allocation is the one place that bounds whatever a file makes them allocate. A
 * module that is denied memory gets an out-of-memory error, which its own code handles.
 */
const boundGrowth = (memory: Memory): void => {
  const grow = memory.grow;
  memory.grow = function (this: Memory, pages: number): number {
    const from = this.buffer.byteLength;
    const to = from + pages * PAGE_BYTES;
    const isFinal = to > MODULE_MAX_BYTES;
    if (isFinal || !mayGrow(countedAfter(this.buffer, to))) {
      wasDenied = true;
      // The last of several attempts says what would have been enough.
      refused = refused?.from === from ? { ...refused, isFinal } : (refused ?? { from, to, isFinal });
      throw new RangeError('no more memory');
    }
    if (refused?.from === from && refused.to - to <= from * TRIED_BEYOND) refused = null;
    return grow.call(this, pages);
  };
};

boundGrowth(WebAssembly.Memory.prototype);

/**
 * Flags are those of the process, contexts those of a thread: it stays set, since a thread that unset it would take the function from one that
 * is just getting it.
 */
const newCollector = (): (() => void) => {
  setFlagsFromString('--expose-gc');
  const collect: unknown = runInNewContext('gc');
  return typeof collect === 'function' ? () => collect() : () => undefined;
};

let collector: (() => void) | null = null;

export const collectGarbage = (): void => {
  collector ??= newCollector();
  collector();
};

/** The first collection only makes the module's register of finalizers, which refers to it, notice that its objects are gone. */
const COLLECTIONS = 2;

/**
 * Frees the memory of a module that nothing refers to any more: V8 does not hurry, since its own objects are few. To be awaited while that
 * memory is still reserved, or the next image is decoded beside it.
 */
export const freeModules = async (): Promise<void> => {
  for (let count = 0; count < COLLECTIONS; count += 1) {
    await new Promise((resolve) => setImmediate(resolve));
    collectGarbage();
  }
};

/** What the JavaScript objects of any thread may take; texts of malicious metadata take three times as much. */
const OBJECTS_BYTES = 36 * 1024 * 1024;

/** Memory of the compiled readers. */
export const modulesBytes = (): number => meters.reduce((sum, memory) => sum + memory().byteLength, 0);

/** What they take from the budget. */
export const grownBytes = (): number => meters.reduce((sum, memory) => sum + countedOf(memory().byteLength), 0);

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
export const isHeapSpent = (): boolean =>
  hasTrapped || modulesBytes() > (wasDenied ? DENIED_HEAP_MAX_BYTES : HEAP_MAX_BYTES);
