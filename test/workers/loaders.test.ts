// Which image loaders are open is a setting of the whole process: a thread that starts must not close one that others are using.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import sharp from 'sharp';
import { fixture } from '../../fixtures/index.js';
import { renderPage } from '../../workers/image-codec.js';
import { REFUSED_LOADERS } from '../../workers/refused-loaders.js';
import { assert, block, thrownBy } from '../kit.js';

const IMAGE = new URL('../../workers/image-codec.js', import.meta.url).href;
const PACKAGES = fileURLToPath(new URL('../../../node_modules/@img', import.meta.url));
const ALLOWED = ['Heif', 'Jpeg', 'Nsgif', 'Png', 'Tiff', 'Webp'];
const LOADS = 300;

/** A thread that sets the loaders up as a new thread does, again and again: each address is a module of its own. */
const restless = (): Worker =>
  new Worker(
    `const { parentPort } = require('node:worker_threads');
     (async () => { for (let n = 0; n < ${LOADS}; n += 1) await import('${IMAGE}?' + n); parentPort.postMessage('done'); })();`,
    { eval: true },
  );

const bytes = readFileSync(fixture('images/jpeg-baseline.jpg'));
const render = (): Promise<unknown> =>
  renderPage({ kind: 'image', bytes }, { width: 16, height: null }, 'jpeg', 80, {
    pixels: 1_000_000_000,
    seconds: 60,
  });

/** Every loader class that is named in the native library. */
const loadersOf = (library: string): string[] => {
  const names = readFileSync(library, 'latin1').match(/VipsForeignLoad[A-Z][A-Za-z0-9]*/g) ?? [];
  return [...new Set(names.map((name) => name.slice('VipsForeignLoad'.length).replace(/(?:Buffer|File|Source)$/, '')))];
};

const nativeLibrary = (): string | undefined => {
  if (!existsSync(PACKAGES)) return undefined;
  const found = readdirSync(PACKAGES, { recursive: true, encoding: 'utf8' }).find((name) =>
    /libvips-cpp[^/\\]*\.(?:so|dylib|dll)/.test(name),
  );
  return found === undefined ? undefined : `${PACKAGES}/${found}`;
};

block('image loaders', (check) => {
  check('starting threads do not fail the page another one is decoding', async () => {
    const worker = restless();
    let isOver = false;
    const ended = new Promise<void>((resolve, reject) => {
      worker.once('message', () => resolve());
      worker.once('error', reject);
    }).finally(() => {
      isOver = true;
    });
    let rendered = 0;
    try {
      while (!isOver) {
        await render();
        rendered += 1;
      }
      await ended;
    } finally {
      await worker.terminate();
    }
    assert.ok(rendered > 10, `${rendered} pages were rendered meanwhile`);
  });
  check('a loader that can open files and URLs is refused by the library itself', async () => {
    const drawing = readFileSync(fixture('images/svg-circle.svg'));
    assert.match(String(await thrownBy(() => sharp(drawing).metadata())), /blocked|unsupported/i);
  });
  const library = nativeLibrary();
  const fact = 'every loader of the native library is allowed or refused by name';
  if (library === undefined) check.skip(fact, 'sharp has no binary package here');
  else
    check(fact, () => {
      const known = [...ALLOWED, ...REFUSED_LOADERS];
      assert.equal(
        loadersOf(library).filter((name) => !known.includes(name)),
        [],
      );
    });
});
