// JPEG 2000 images too large to be decoded as a whole: shown at a reduced resolution in their colours, or refused before they are decoded.
import { readFileSync } from 'node:fs';
import { DECODE_ROOM_BYTES } from '../../core/model/decode-budget.js';
import { fixture } from '../../fixtures/index.js';
import { boundHeaps } from '../../workers/heaps.js';
import { renderSmall } from '../../workers/image-codec.js';
import { imageMemory } from '../../workers/image-memory.js';
import { jp2Reduction } from '../../workers/jp2-reduced.js';
import { assert, block } from '../kit.js';

const LIMITS = { pixels: 100_000_000, seconds: 60 };
const BOX = { width: 40, height: 60 };
const CODING = Buffer.from('ff52000c', 'hex');
const SIZE = Buffer.from('ff4fff51', 'hex');

const image = (name: string): Buffer => Buffer.from(readFileSync(fixture(`cases/images/${name}`)));

const changed = (name: string, mark: Buffer, offset: number, value: number): Buffer => {
  const bytes = image(name);
  bytes[bytes.indexOf(mark) + offset] = value;
  return bytes;
};

/** Red, green and blue near the top and near the bottom. */
const coloursOf = async (bytes: Uint8Array): Promise<number[][]> => {
  const held = await imageMemory(bytes);
  boundHeaps({ held: () => held, take: () => false });
  const pixels = await renderSmall({ kind: 'image', bytes }, BOX, LIMITS);
  return [0.1, 0.9].map((share) => {
    const at = (Math.floor(pixels.height * share) * pixels.width + 5) * pixels.channels;
    return [...pixels.bytes.subarray(at, at + 3)];
  });
};

const near = (found: number[][], wanted: number[][], name: string): void => {
  found.flat().forEach((value, at) => {
    assert.ok(Math.abs(value - (wanted.flat()[at] ?? -1)) <= 3, `${name}: ${JSON.stringify(found)}`);
  });
};

block('JPEG 2000 at a reduced resolution', (check) => {
  check('images of 24 and 35 megapixels fit in the budget, and their colours are right', async () => {
    const red = [0xc0, 0x20, 0x40];
    const green = [0x20, 0xa0, 0x60];
    for (const name of ['jp2-24mp-rgb.jp2', 'jp2-24mp-deep.jp2', 'jp2-35mp.j2k']) {
      assert.ok((await imageMemory(image(name))) <= DECODE_ROOM_BYTES, name);
      near(await coloursOf(image(name)), [red, green], name);
    }
    const [top = [], bottom = []] = await coloursOf(image('jp2-24mp-gray.jp2'));
    assert.equal(new Set(top).size + new Set(bottom).size, 2);
    assert.ok((bottom[0] ?? 0) > (top[0] ?? 0));
  });
  check(
    'one with a single resolution, opacity, subsampled components or other colours is refused before it is decoded',
    async () => {
      const others = {
        levels: changed('jp2-24mp-rgb.jp2', CODING, 9, 0),
        subsampled: changed('jp2-24mp-rgb.jp2', SIZE, 46, 2),
        colour: changed('jp2-24mp-rgb.jp2', Buffer.from('colr'), 10, 18),
        box: changed('jp2-24mp-rgb.jp2', Buffer.from('colr'), 0, 0x70),
      };
      for (const [name, bytes] of Object.entries(others)) {
        assert.equal(jp2Reduction(bytes), undefined, name);
        assert.ok((await imageMemory(bytes)) > DECODE_ROOM_BYTES, name);
      }
    },
  );
  check('what is wanted small is decoded small, and never smaller than it is wanted', () => {
    const sizeOf = (box?: Parameters<typeof jp2Reduction>[1]): string => {
      const found = jp2Reduction(image('jp2-35mp.j2k'), box);
      return `${found?.width}x${found?.height}`;
    };
    assert.is(sizeOf(), '2450x3600');
    assert.is(sizeOf({ width: 200, height: 200 }), '613x900');
    assert.is(sizeOf({ width: 306, height: null }), '613x900');
    assert.is(sizeOf({ width: 307, height: null }), '1225x1800');
    assert.is(sizeOf({ width: null, height: 1600 }), '2450x3600');
    assert.is(sizeOf({ width: null, height: null }), '2450x3600');
  });
  check('one that is cut off or damaged gets an answer', async () => {
    const whole = image('jp2-24mp-rgb.jp2');
    const answer = async (bytes: Uint8Array): Promise<string> =>
      coloursOf(bytes).then(
        () => 'shown',
        (thrown: unknown) => String((thrown as { kind?: string }).kind),
      );
    for (const share of [0.1, 0.5, 0.9])
      assert.match(await answer(whole.subarray(0, Math.floor(whole.length * share))), /^(?:shown|CorruptPage)$/);
  });
  check('the memory of the decoder is free again when the image is there, not some time later', async () => {
    const before = process.memoryUsage().external;
    for (let count = 0; count < 3; count += 1) {
      await coloursOf(image('jp2-24mp-rgb.jp2'));
      assert.ok(process.memoryUsage().external - before < 64 * 1024 * 1024);
    }
  });
});
