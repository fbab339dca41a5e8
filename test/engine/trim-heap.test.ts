// Free memory inside the C library's heap goes back to the system. In a process of its own, with the settings of `npm start`.
import { spawnSync } from 'node:child_process';
import { assert, block } from '../kit.js';

/** 4,000 buffers of 20 kB, of which every hundredth stays in use: what is free between them is not at the end of the heap. */
const PROGRAM = `
import { readFileSync } from 'node:fs';
const { trimHeap } = await import(process.argv[1]);
const ownMb = () => Number(/RssAnon:\\s+(\\d+)/.exec(readFileSync('/proc/self/status', 'utf8'))[1]) / 1024;
let buffers = Array.from({ length: 4000 }, () => Buffer.alloc(20_000, 1));
const used = buffers.filter((_, at) => at % 100 === 99);
buffers = [];
for (let at = 0; at < 5; at += 1) { gc(); await new Promise((done) => setTimeout(done, 20)); }
const before = ownMb();
const returned = trimHeap();
console.log(JSON.stringify({ returned, before, after: ownMb(), used: used.every((one) => one.every((byte) => byte === 1)) }));
`;
const isGlibc = 'glibcVersionRuntime' in (process.report.getReport() as { header: object }).header;

block('trimming the heap', (check) => {
  check('free memory between memory in use is returned, and what is in use stays as it is', () => {
    const { stdout, stderr } = spawnSync(
      process.execPath,
      [
        '--expose-gc',
        '--input-type=module',
        '-e',
        PROGRAM,
        new URL('../../core/engine/trim-heap.js', import.meta.url).href,
      ],
      { encoding: 'utf8', env: { ...process.env, MALLOC_ARENA_MAX: '1', MALLOC_MMAP_THRESHOLD_: '1048576' } },
    );
    assert.is(stderr, '');
    const { returned, before, after, used } = JSON.parse(stdout);
    assert.ok(used);
    assert.is(returned, isGlibc);
    if (isGlibc) assert.ok(before - after > 40, `${before} MB before, ${after} MB after`);
  });
});
