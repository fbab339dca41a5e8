// Unpacks the wanted entries of a solid archive into a file, each at the position the caller gave, and marks each as written.
import { closeSync, openSync, writeSync } from 'node:fs';
import { AppError } from '../../core/model/errors.js';
import type { SpillInput, SpillPage } from '../../core/model/jobs.js';
import type { BookFile } from '../book-file.js';
import { type Sink, unpackRar, type Visitor } from '../formats/unrar.js';
import { withModuleRoom } from '../read-in-room.js';
import { type Run, step } from '../step.js';

const WRITTEN = 1;
const DAMAGED = 2;

interface Place {
  readonly page: SpillPage;
  /** Position in `pages`, and also in `states`. */
  readonly at: number;
  written: number;
}

/** A fault of the disk to which the pages are unpacked; the book itself may be sound. */
const storageError = (thrown: unknown): AppError => {
  const code = thrown instanceof Error && 'code' in thrown ? String(thrown.code) : '';
  const isFull = code === 'ENOSPC' || code === 'EDQUOT';
  return new AppError(isFull ? 'StorageFull' : 'StorageFailed', `Pages cannot be unpacked (${code}).`, null, thrown);
};

const writeAll = (fd: number, bytes: Uint8Array, position: number): void => {
  try {
    // A disk that is nearly full takes a part; the next call returns the reason.
    for (let at = 0; at < bytes.length; ) at += writeSync(fd, bytes, at, bytes.length - at, position + at);
  } catch (thrown) {
    throw storageError(thrown);
  }
};

const openTarget = (path: string): number => {
  try {
    return openSync(path, 'wx', 0o600);
  } catch (thrown) {
    throw storageError(thrown);
  }
};

const sinkOf =
  (fd: number, place: Place): Sink =>
  (bytes) => {
    const { page } = place;
    if (place.written + bytes.length > page.size) return false;
    writeAll(fd, bytes, page.offset + place.written);
    place.written += bytes.length;
    return true;
  };

const spillInto = async (fd: number, file: BookFile, input: SpillInput, run: Run): Promise<number> => {
  const states = new Uint8Array(input.states);
  const places = new Map(input.pages.map((page, at): [number, Place] => [page.index, { page, at, written: 0 }]));
  const last = Math.max(-1, ...places.keys());
  let written = 0;
  const pass = (): Promise<void> => {
    written = 0;
    for (const place of places.values()) place.written = 0;
    return unpackRar(file, visitor, run.check);
  };
  const visitor: Visitor = {
    choose: ({ index }) => {
      const place = places.get(index);
      if (place !== undefined) return sinkOf(fd, place);
      return index > last ? 'stop' : 'skip';
    },
    done: (index, error) => {
      const place = places.get(index);
      if (place === undefined) return;
      if (error?.kind === 'LimitExceeded') throw error;
      const isWhole = error === null && place.written === place.page.size;
      Atomics.store(states, place.at, isWhole ? WRITTEN : DAMAGED);
      written += Number(isWhole);
    },
  };
  await withModuleRoom(pass, run);
  return written;
};

export const spill = step({
  name: 'spill',
  needs: ['file', 'spill'],
  gives: ['written'],
  run: async ({ file, spill: input }, run) => {
    const fd = openTarget(input.target);
    run.onClose(() => closeSync(fd));
    return { written: await spillInto(fd, file, input, run) };
  },
});
