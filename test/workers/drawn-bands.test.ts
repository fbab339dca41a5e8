// Large drawn pages: what they look like, and what is left of them in memory.

import { METHOD } from '../../core/model/page-table.js';
import { fixture } from '../../fixtures/index.js';
import { openBookFile } from '../../workers/book-file.js';
import { drawBytesOf, renderBytesOf } from '../../workers/decode-size.js';
import { drawPage, type Pixels } from '../../workers/formats/mupdf.js';
import { modulesBytes } from '../../workers/heaps.js';
import { renderPage } from '../../workers/image-codec.js';
import { assert, block } from '../kit.js';

const MB = 1024 * 1024;
const NO_BOX = { width: null, height: null };

const draw = (name: string, width: number | null): Pixels => {
  const file = openBookFile(fixture(`books/${name}`));
  try {
    return drawPage(file, 0, { width, height: null });
  } finally {
    file.close();
  }
};

/** Mean difference of each pixel of `small` from the mean of those it stands for in `large`, which is `times` as wide. */
const meanDifference = (small: Pixels, large: Pixels, times: number): number => {
  let sum = 0;
  for (let y = 0; y < small.height; y += 1)
    for (let x = 0; x < small.width; x += 1) {
      let light = 0;
      for (let row = 0; row < times; row += 1)
        for (let column = 0; column < times; column += 1)
          light += large.bytes[((y * times + row) * large.width + x * times + column) * 3] ?? 255;
      sum += Math.abs(light / times ** 2 - (small.bytes[(y * small.width + x) * 3] ?? 0));
    }
  return sum / (small.width * small.height);
};

block('large rendered pages', (check) => {
  check('look like small ones, wherever one band ends and the next begins', () => {
    const [small, large] = [draw('boxes-rotate.pdf', 1000), draw('boxes-rotate.pdf', 4000)];
    assert.ok(large.height * large.width > 12_000_000, `${large.width} × ${large.height} is no large page`);
    const difference = meanDifference(small, large, 4);
    assert.ok(difference < 1, `each pixel differs by ${difference}`);
    assert.ok(new Set(small.bytes).size > 1, 'the page is empty');
  });
  check('leave the memory of the reader small, and no pixels once they are encoded', async () => {
    const pixels = draw('giant-page.pdf', null);
    assert.is(pixels.width * pixels.height > 20_000_000, true);
    assert.ok(modulesBytes() < 64 * MB, `the reader holds ${modulesBytes() / MB} MB`);
    const { width } = await renderPage({ kind: 'pixels', channels: 3, ...pixels }, NO_BOX, null, 80, {
      pixels: 100_000_000,
      seconds: 60,
    });
    assert.equal([width, pixels.bytes.length], [pixels.width, 0]);
  });
});

block('memory for images made from a page', (check) => {
  const page = { method: METHOD.pdf, width: 4000, height: 5000 } as Parameters<typeof drawBytesOf>[0];
  check('a rendered page takes its pixels and a band; as WebP, once more', () => {
    const jpeg = drawBytesOf(page, NO_BOX, null);
    assert.ok(jpeg > 60_000_000 && jpeg < 100_000_000, String(jpeg));
    assert.ok(drawBytesOf(page, NO_BOX, 'webp') >= jpeg + 60_000_000);
    assert.ok(drawBytesOf(page, { width: 400, height: null }, 'webp') < 4_000_000);
  });
  check('pixels already rendered take no more: a waiting job holds no memory', async () =>
    assert.is(await renderBytesOf({ kind: 'pixels', channels: 3, ...draw('giant-page.pdf', 400) }, NO_BOX, 'webp'), 0),
  );
});
