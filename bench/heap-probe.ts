// Loaded into the measured program by node --import: SIGUSR2 collects garbage and writes to a file what was found and what is left of the heap.
import { renameSync, writeFileSync } from 'node:fs';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { isMainThread } from 'node:worker_threads';

const file = process.env.LONGBOX_HEAP_FILE;

if (isMainThread && file !== undefined) {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  process.on('SIGUSR2', () => {
    const found = process.memoryUsage();
    collect();
    collect(); // what finalisers released by the first
    const { heapUsed, external } = process.memoryUsage();
    writeFileSync(`${file}.part`, JSON.stringify({ found, bytes: heapUsed + external }));
    renameSync(`${file}.part`, file);
  });
}
