// The database and the cache as they are used while traces are made: the same, and each call is a part of its trace.
import { faultOf } from '../model/errors.js';
import { monotonicMs } from '../model/monotonic.js';
import type { Attributes, Tracing } from '../model/tracing.js';
import type { Blobs } from '../store/blobs.js';
import type { Db, Reads } from '../store/db.js';

const SQLITE: Attributes = { 'db.system.name': 'sqlite' };
const LMDB: Attributes = { 'db.system.name': 'lmdb' };

/** As a part of the trace; `act` says when it is no longer waiting. */
const asPart = async <T>(tracing: Tracing, name: string, act: (begun: () => void) => Promise<T>): Promise<T> => {
  const span = tracing.begin(name, SQLITE);
  const asked = monotonicMs();
  try {
    const value = await act(() => span.part('wait for a connection', asked, monotonicMs()));
    span.end();
    return value;
  } catch (thrown) {
    span.end(faultOf(thrown).kind);
    throw thrown;
  }
};

const tracedReads = (reads: Reads, tracing: Tracing): Reads => ({
  all: (sql, binds) => asPart(tracing, 'sqlite read', () => reads.all(sql, binds)),
  json: (sql, binds) => asPart(tracing, 'sqlite read', () => reads.json(sql, binds)),
});

export const tracedDb = (db: Db, tracing: Tracing): Db =>
  tracing.isOn
    ? {
        ...db,
        ...tracedReads(db, tracing),
        readsFor: (asker, lane) => tracedReads(db.readsFor(asker, lane), tracing),
        snapshot: (body, asker) =>
          asPart(tracing, 'sqlite snapshot', (begun) =>
            db.snapshot((reads) => {
              begun();
              return body(reads);
            }, asker),
          ),
        write: (by, lane, body) =>
          asPart(tracing, 'sqlite write', (begun) =>
            db.write(by, lane, (tx) => {
              begun();
              return body(tx);
            }),
          ),
      }
    : db;

export const tracedBlobs = (blobs: Blobs, tracing: Tracing): Blobs => {
  if (!tracing.isOn) return blobs;
  const look = <T extends Uint8Array | (() => unknown)>(find: () => T | undefined): T | undefined => {
    const span = tracing.begin('cache read', LMDB);
    const found = find();
    span.set({ 'longbox.cache.hit': found !== undefined });
    span.end();
    return found;
  };
  const store = async (put: () => Promise<void>, { byteLength }: Uint8Array): Promise<void> => {
    const span = tracing.begin('cache write', { ...LMDB, 'longbox.bytes': byteLength });
    await put().finally(() => span.end());
  };
  return {
    get: (key) => look(() => blobs.get(key)),
    lend: (key) => look<Exclude<ReturnType<Blobs['lend']>, undefined>>(() => blobs.lend(key)),
    put: (key, bytes) => store(() => blobs.put(key, bytes), bytes),
    replace: (key, bytes) => store(() => blobs.replace(key, bytes), bytes),
    has: (key) => blobs.has(key),
    list: (after, limit) => blobs.list(after, limit),
    discard: (stored) => blobs.discard(stored),
    get isKeeping() {
      return blobs.isKeeping;
    },
    shrink: () => blobs.shrink(),
    sizeBytes: () => blobs.sizeBytes(),
    tally: blobs.tally,
    close: () => blobs.close(),
  };
};
