// The items of a wall, loaded in blocks around the visible part; blocks farther away are dropped.
import { type Signal, useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';

/** Blocks in memory. */
const BLOCKS_MAX = 24;

interface Loaded<T> {
  readonly total: number;
  readonly blocks: ReadonlyMap<number, readonly T[]>;
}

export interface Blocks<T> {
  readonly loaded: Signal<Loaded<T> | null>;
  readonly error: Signal<unknown>;
  /** Loads what stands at these places. */
  readonly see: (from: number, to: number) => void;
  /** Loads everything again; what is shown stays until then. */
  readonly again: () => void;
  /** What stands at a place, if it is loaded. */
  readonly at: (place: number) => T | undefined;
}

interface Source<T> {
  /** Another key means another wall. */
  readonly key: string;
  readonly size: number;
  readonly load: (
    block: number,
    signal: AbortSignal,
  ) => Promise<{ readonly data: readonly T[]; readonly total: number }>;
  /** Another number loads everything again; what is shown stays until then. */
  readonly revision?: number;
}

/** The oldest are dropped. */
const withBlock = <T>(blocks: Loaded<T>['blocks'], block: number, data: readonly T[]): Loaded<T>['blocks'] => {
  const next = new Map(blocks);
  next.delete(block);
  next.set(block, data);
  for (const old of next.keys()) if (next.size > BLOCKS_MAX) next.delete(old);
  return next;
};

export const useBlocks = <T>({ key, size, load: ask, revision = 0 }: Source<T>): Blocks<T> => {
  const loaded = useSignal<Loaded<T> | null>(null);
  const error = useSignal<unknown>(null);
  const asked = useRef(new Set<number>());
  const control = useRef(new AbortController());
  const seen = useRef({ from: 0, to: 1 });

  const load = (block: number): void => {
    if (asked.current.has(block)) return;
    asked.current.add(block);
    const { signal } = control.current;
    ask(block, signal).then(
      ({ data, total }) => {
        if (signal.aborted) return;
        error.value = null;
        loaded.value = { total, blocks: withBlock<T>(loaded.value?.blocks ?? new Map(), block, data) };
        for (const known of asked.current)
          if (!loaded.value.blocks.has(known) && known !== block) asked.current.delete(known);
      },
      (thrown: unknown) => {
        asked.current.delete(block);
        if (!signal.aborted) error.value = thrown;
      },
    );
  };
  const see = (from: number, to: number): void => {
    seen.current = { from, to };
    const last = Math.floor(Math.max(0, Math.min(to, loaded.value?.total ?? to) - 1) / size);
    for (let block = Math.floor(from / size); block <= last; block += 1) load(block);
  };
  const again = (): void => {
    control.current.abort();
    control.current = new AbortController();
    asked.current.clear();
    see(seen.current.from, seen.current.to);
  };
  useEffect(() => {
    loaded.value = null;
    seen.current = { from: 0, to: 1 };
    again();
    return () => control.current.abort();
  }, [key]);
  useEffect(() => {
    if (revision > 0) again();
  }, [revision]);
  const at = (place: number): T | undefined => loaded.value?.blocks.get(Math.floor(place / size))?.[place % size];
  return { loaded, error, see, again, at };
};
