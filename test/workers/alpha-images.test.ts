// Images with transparency that only the PDF engine decodes: its pixels are multiplied by their alpha, those of the image library are not.
import { readFileSync } from 'node:fs';
import { fixture } from '../../fixtures/index.js';
import { decodeImage } from '../../workers/formats/mupdf-image.js';
import { assert, block } from '../kit.js';

/** The first four pixels as OpenJPEG's own decoder gives them. */
const JP2_PIXELS = [
  [243, 0, 0, 128],
  [205, 6, 6, 128],
  [222, 0, 0, 128],
  [255, 0, 0, 128],
];

block('images with transparency', (check) => {
  check('JPEG 2000 has the colours of its own decoder', () => {
    const { bytes, channels } = decodeImage(readFileSync(fixture('cases/images/jp2-small-alpha.jp2')));
    assert.is(channels, 4);
    for (const [index, expected] of JP2_PIXELS.entries()) {
      const pixel = [...bytes.subarray(index * 4, index * 4 + 4)];
      const isClose = pixel.every((value, at) => Math.abs(value - (expected[at] ?? 0)) <= 3);
      assert.ok(isClose, `${pixel} instead of ${expected}`);
    }
  });
});
