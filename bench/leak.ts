// Whether rescans leave something behind: heap and resident memory of a program that has rested, before many rescans and after them.
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { absolute, type Line, residentMb, round } from './measure.js';
import { askProbe } from './probe.js';
import { libraryOf, type Running, scan, startProgram } from './program.js';

const MOST = 1.1;
/** Until everything that a rescan needs is loaded and compiled. */
const WARM_UPS = 20;
/** Longer than threads live without work, and than it takes until memory is freed after that. */
const REST_MS = 6000;

interface Settled {
  readonly heapMb: number;
  readonly residentMb: number;
}

const settled = async ({ pid }: Running, file: string): Promise<Settled> => {
  await sleep(REST_MS);
  const { bytes } = JSON.parse(await askProbe(pid, file)) as { readonly bytes: number };
  return { heapMb: round(bytes / 2 ** 20, 1), residentMb: residentMb(pid).own };
};

const rescan = async (program: Running, libraryId: string, times: number): Promise<void> => {
  for (let n = 0; n < times; n += 1) await scan(program, libraryId, 'normal');
};

/** `data`: the data folder in which `root` has been scanned; `environment`: threads end soon. */
export const leakLines = async (
  folder: string,
  data: string,
  root: string,
  count: number,
  environment: Record<string, string>,
): Promise<Line[]> => {
  const file = join(folder, 'heap.json');
  const probe = new URL('./heap-probe.js', import.meta.url).href;
  const settings = { ...environment, NODE_OPTIONS: `--import=${probe}`, LONGBOX_HEAP_FILE: file };
  const program = await startProgram(data, true, [], settings);
  const libraryId = await libraryOf(program, root);
  await rescan(program, libraryId, WARM_UPS);
  const before = await settled(program, file);
  await rescan(program, libraryId, count);
  const after = await settled(program, file);
  await program.stop();
  const line = (id: string, what: string, key: keyof Settled): Line =>
    absolute(
      id,
      `${what} at rest after ${count} more rescans, compared with at rest after the first ${WARM_UPS}`,
      `≤ ${MOST}`,
      `${round(after[key] / before[key])} (${before[key]} MB, then ${after[key]} MB)`,
      after[key] <= before[key] * MOST,
    );
  return [
    line('leak-heap', 'JavaScript heap and its buffers, garbage collected,', 'heapMb'),
    line('leak-resident', 'resident memory without mapped files,', 'residentMb'),
  ];
};
