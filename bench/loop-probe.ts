// Loaded into the measured program by node --import: measures the delay of its event loop. SIGUSR2 writes the result to a file and starts
// over.
import { renameSync, writeFileSync } from 'node:fs';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { isMainThread } from 'node:worker_threads';

const RESOLUTION_MS = 1;
const file = process.env.LONGBOX_LOOP_FILE;

if (isMainThread && file !== undefined) {
  const delays = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  delays.enable();
  process.on('SIGUSR2', () => {
    const [p50, p99, max] = [delays.percentile(50), delays.percentile(99), delays.max].map(
      (ns) => ns / 1e6 - RESOLUTION_MS,
    );
    delays.reset();
    writeFileSync(`${file}.part`, JSON.stringify({ p50, p99, max }));
    renameSync(`${file}.part`, file);
  });
}
