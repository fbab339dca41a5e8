// The size of a JPEG by our own short way is that of the general header parser, rotated, progressive and cut off too.
import { imageSize } from 'image-size';
import sharp from 'sharp';
import { sizeOfBytes } from '../../workers/image-head.js';
import { sizeOfPlainJpeg } from '../../workers/jpeg-frame.js';
import { assert, block } from '../kit.js';

const jpeg = (progressive: boolean): Promise<Buffer> =>
  sharp({ create: { width: 31, height: 17, channels: 3, background: 'teal' } })
    .jpeg({ progressive })
    .toBuffer();

const turned = async (): Promise<Buffer> =>
  sharp(await jpeg(false))
    .withMetadata({ orientation: 6 })
    .toBuffer();

/** Undefined where the parser gives up. */
const general = (bytes: Buffer): { readonly width: number; readonly height: number } | undefined => {
  try {
    return imageSize(bytes);
  } catch {
    return undefined;
  }
};

block('size of a JPEG', (check) => {
  check('is found without the general parser, in one pass and in several', async () => {
    for (const isProgressive of [false, true])
      assert.equal(sizeOfPlainJpeg(await jpeg(isProgressive)), { width: 31, height: 17 });
  });
  check('is that of the general parser wherever the file is cut off or altered', async () => {
    const whole = await jpeg(false);
    for (let length = 2; length < whole.length; length += 1) {
      const cut = whole.subarray(0, length);
      const found = sizeOfPlainJpeg(cut);
      if (found !== null) assert.equal(found, { width: 31, height: 17 });
    }
    for (let at = 2; at < 200; at += 1) {
      const altered = Buffer.from(whole);
      altered[at] = (altered[at] ?? 0) ^ 0xff;
      const found = sizeOfPlainJpeg(altered);
      if (found === null) continue;
      const { width, height } = general(altered) ?? { width: -1, height: -1 };
      assert.equal(found, { width, height }, `byte ${at}`);
    }
  });
  check('takes the orientation into account, which only the general parser reads', async () => {
    const bytes = await turned();
    assert.is(sizeOfPlainJpeg(bytes), null);
    assert.equal(sizeOfBytes(bytes, 'jpeg'), { media: 'jpeg', width: 17, height: 31 });
  });
});
