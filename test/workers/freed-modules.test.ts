// The memory of compiled decoders is freed in every thread, however many of them free theirs at once.
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { assert, block } from '../kit.js';

const THREADS = 4;
const TIMES = 40;

/** In a thread of its own: makes a module of 64 MB, drops it and frees it; says what stayed in memory. */
const PROGRAM = `
import { parentPort, workerData } from 'node:worker_threads';
const { freeModules } = await import(workerData.heaps);
const dropped = () => { new WebAssembly.Memory({ initial: 1024 }); };
let error = null;
try {
  for (let time = 0; time < workerData.times; time += 1) {
    dropped();
    await freeModules();
  }
} catch (thrown) {
  error = String(thrown);
}
parentPort.postMessage({ error, bytes: process.memoryUsage().external });
`;

interface Answer {
  readonly error: string | null;
  readonly bytes: number;
}

const freeing = async (): Promise<Answer> => {
  const heaps = new URL('../../workers/heaps.js', import.meta.url).href;
  const url = new URL(`data:text/javascript,${encodeURIComponent(PROGRAM)}`);
  const [answer] = await once(new Worker(url, { workerData: { heaps, times: TIMES } }), 'message');
  return answer as Answer;
};

block('memory of decoders in several threads', (check) => {
  check('is freed in all of them at once', async () => {
    const answers = await Promise.all(Array.from({ length: THREADS }, freeing));
    assert.equal(
      answers.map(({ error }) => error),
      answers.map(() => null),
    );
    for (const { bytes } of answers) assert.ok(bytes < 64 * 1024 * 1024, `${bytes} bytes stayed`);
  });
});
