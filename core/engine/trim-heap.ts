// Returns the free memory of the C library's heap to the system. glibc does that by itself only at the end of its heap: what is free below
// memory in use remains with the process, up to half of what it has after much work.

import { createRequire } from 'node:module';

/** glibc's own `malloc_trim`, or null where there is none: on another system or C library, or without the optional package that calls it. */
const findTrim = (): ((paddingBytes: number) => number) | null => {
  if (process.platform !== 'linux') return null;
  try {
    const koffi = createRequire(import.meta.url)('koffi') as typeof import('koffi');
    return koffi.load('libc.so.6').func('int malloc_trim(size_t)');
  } catch {
    return null;
  }
};

let found: ReturnType<typeof findTrim> | undefined;

/** Takes some tens of milliseconds on the calling thread, so it is for an idle server. Returns whether memory was returned. */
export const trimHeap = (): boolean => {
  if (found === undefined) found = findTrim();
  return found?.(0) === 1;
};
