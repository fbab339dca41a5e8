// Asks a probe inside the measured program (loop-probe.ts, heap-probe.ts) for its figures.
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

const LOOKS = 500;
const LOOK_MS = 10;

/** What the probe writes to the file, unparsed. */
export const askProbe = async (pid: number, file: string): Promise<string> => {
  rmSync(file, { force: true });
  process.kill(pid, 'SIGUSR2');
  for (let look = 0; look < LOOKS && !existsSync(file); look += 1) await sleep(LOOK_MS);
  return readFileSync(file, 'utf8');
};
