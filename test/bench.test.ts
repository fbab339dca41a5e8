// Measurements are not run with the tests, but every suite has to load: what they measure changes under them.
import { readdirSync } from 'node:fs';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { assert, block } from './kit.js';

const BENCH = new URL('../bench/', import.meta.url);

block('bench', (check) => {
  const suites = readdirSync(fileURLToPath(BENCH)).filter((file) => file.endsWith('.bench.js'));
  for (const file of suites)
    check(`${file} loads`, async () => {
      const found = await import(pathToFileURL(fileURLToPath(new URL(file, BENCH))).href);
      assert.ok(Object.values(found).some((one) => typeof one === 'function'));
    });
});
