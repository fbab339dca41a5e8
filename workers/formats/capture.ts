// What one pass over a RAR archive keeps of its entries, in bounded memory: beginnings, a few whole pages, and the faults of each.
import { AppError, type ErrorKind } from '../../core/model/errors.js';
import type { BookFile } from '../book-file.js';
import type { PageHead } from './format.js';
import { type Sink, unpackRar } from './unrar.js';

export interface CaptureRequest {
  /** Entry number in the archive. */
  readonly index: number;
  readonly size: number;
  /** True: all of it; false: its beginning. */
  readonly isWhole: boolean;
}

const HEAD_BYTES = 64 * 1024;
const HEADS_BUDGET_BYTES = 48 * 1024 * 1024;
/** A larger page is not kept whole: it is unpacked again when it is needed. */
const WHOLE_MAX_BYTES = 32 * 1024 * 1024;

/** Errors that say nothing against the archive. */
const BEYOND_US: ReadonlySet<ErrorKind> = new Set(['LimitExceeded', 'UnsupportedFormat']);

interface CapturedEntry {
  readonly wanted: CaptureRequest;
  readonly parts: Uint8Array[];
  length: number;
  error: AppError | null;
}

export class Captured {
  readonly #kept: ReadonlyMap<number, CapturedEntry>;
  readonly #headBytes: number;
  readonly #last: number;

  constructor(wanted: readonly CaptureRequest[]) {
    // Two pages may be one entry: it is kept whole if one of them is.
    const wholeLast = wanted.toSorted((one, other) => Number(one.isWhole) - Number(other.isWhole));
    this.#kept = new Map(wholeLast.map((one) => [one.index, { wanted: one, parts: [], length: 0, error: null }]));
    this.#headBytes = Math.min(HEAD_BYTES, Math.floor(HEADS_BUDGET_BYTES / Math.max(1, wanted.length)));
    this.#last = Math.max(-1, ...this.#kept.keys());
  }

  /** The pass. Costs nothing when nothing is wanted. */
  async fill(file: BookFile, check: () => void): Promise<void> {
    if (this.#kept.size === 0) return;
    const seen = new Set<number>();
    const visitor = {
      choose: ({ index }: { readonly index: number }) => {
        const kept = this.#kept.get(index);
        if (kept === undefined) return index > this.#last ? ('stop' as const) : ('skip' as const);
        return this.#sinkOf(kept);
      },
      done: (index: number, error: AppError | null) => {
        seen.add(index);
        const kept = this.#kept.get(index);
        if (kept !== undefined) kept.error = error;
      },
    };
    let ended: AppError | null = null;
    await unpackRar(file, visitor, check).catch((thrown: unknown) => {
      const isOfBook = thrown instanceof AppError && (thrown.kind === 'CorruptArchive' || BEYOND_US.has(thrown.kind));
      if (!isOfBook) throw thrown;
      ended = thrown; // everything before the damage is there
    });
    for (const [index, kept] of this.#kept) if (!seen.has(index)) kept.error = ended ?? new AppError('CorruptPage');
  }

  /** Why an entry was not unpacked although it may be sound: it takes too much memory, or is packed in an unknown way. */
  refusal(index: number): AppError | null {
    const error = this.#kept.get(index)?.error ?? null;
    return error !== null && BEYOND_US.has(error.kind) ? error : null;
  }

  /** Throws the fault of the entry. */
  head(index: number): Omit<PageHead, 'address'> {
    const kept = this.#valid(index);
    const bytes = Buffer.concat(kept.parts);
    return { bytes, isWhole: bytes.length === kept.wanted.size };
  }

  /** Undefined when only its beginning was kept. */
  whole(index: number): Uint8Array | undefined {
    const kept = this.#valid(index);
    const bytes = Buffer.concat(kept.parts);
    return bytes.length === kept.wanted.size ? bytes : undefined;
  }

  #valid(index: number): CapturedEntry {
    const kept = this.#kept.get(index);
    const refusal = this.refusal(index);
    if (refusal !== null) throw refusal;
    if (kept === undefined || kept.error !== null)
      throw new AppError('CorruptPage', 'The page is damaged: its compressed data does not match its checksum.');
    return kept;
  }

  #sinkOf(kept: CapturedEntry): Sink {
    const { isWhole, size } = kept.wanted;
    const max = isWhole && size <= WHOLE_MAX_BYTES ? size : Math.min(size, this.#headBytes);
    return (bytes) => {
      const room = max - kept.length;
      if (room > 0) {
        const part = bytes.slice(0, room); // a copy: the bytes belong to unrar
        kept.parts.push(part);
        kept.length += part.length;
      }
      return true;
    };
  }
}
