// Libraries in C that are preloaded into the program, so that its system calls meet what a disk or a clock may do.
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export type Shim = 'hang' | 'read-only' | 'clock';

/** The compiled library, in a folder; undefined where there is no compiler, or another system. */
export const compiledShim = (shim: Shim, folder: string): string | undefined => {
  if (process.platform !== 'linux') return undefined;
  const source = fileURLToPath(new URL(`../../../test/system/${shim}.c`, import.meta.url));
  const library = join(folder, `${shim}.so`);
  try {
    execFileSync('gcc', ['-shared', '-fPIC', '-O1', '-o', library, source, '-ldl'], { stdio: 'ignore' });
    return library;
  } catch {
    return undefined; // no compiler: said where the facts are registered
  }
};
