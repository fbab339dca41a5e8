// Maps that hold so many entries, or so many bytes, and drop the least recently used one beyond that. The only importer of lru-cache.
// A Map of JavaScript can do this too, by deleting and setting again what is used. But it keeps the places of deleted entries for a while,
// and walks over them: a key that is used again and again among ten thousand then takes a hundred microseconds.
import { LRUCache } from 'lru-cache';

type Key = string | number;
type Value = string | number | boolean | object;

export interface BoundedMap<K extends Key, V extends Value> {
  readonly size: number;
  /** Counts as use. */
  get(key: K): V | undefined;
  /** Does not count as use, nor does `has`. */
  peek(key: K): V | undefined;
  has(key: K): boolean;
  /** Counts as use. */
  set(key: K, value: V): unknown;
  /** False when there was none. */
  delete(key: K): boolean;
  clear(): void;
  /** The most recently used first. Copy them before deleting any. */
  entries(): Iterable<[K, V]>;
  values(): Iterable<V>;
}

/** Called once for each value that leaves: evicted, deleted, cleared, or replaced by another. Must not change the map. */
type OnDropped<V> = (value: V) => void;

const one = (): number => 1;

/** By size, each of one: with a number of entries, lru-cache sets up its arrays for all of them at once, which a start then waits for. */
export const boundedByCount = <K extends Key, V extends Value>(
  max: number,
  onDropped?: OnDropped<V>,
): BoundedMap<K, V> => boundedByBytes(max, one, onDropped);

/** A value that is larger than the bound is not kept. Its size is asked for once, when it is set. */
export const boundedByBytes = <K extends Key, V extends Value>(
  maxBytes: number,
  sizeOf: (value: V, key: K) => number,
  onDropped?: OnDropped<V>,
): BoundedMap<K, V> =>
  new LRUCache<K, V>({
    maxSize: Math.floor(maxBytes),
    sizeCalculation: (value, key) => Math.max(1, Math.ceil(sizeOf(value, key))),
    ...(onDropped === undefined ? {} : { dispose: onDropped }),
  });
