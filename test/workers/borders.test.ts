// Where the borders of a page end: told from pictures made here, and from real scans.
import {
  contentRect,
  type Insets,
  NO_INSETS,
  readInsets,
  unknownInsets,
  writeInsets,
} from '../../core/model/page-insets.js';
import { type GreyPicture, insetsOf } from '../../workers/borders.js';
import { assert, block } from '../kit.js';

type Paint = (x: number, y: number) => number;

const picture = (width: number, height: number, paint: Paint): GreyPicture => ({
  width,
  height,
  bytes: Uint8Array.from({ length: width * height }, (_, at) => paint(at % width, Math.floor(at / width))),
});

/** The same numbers on every run. */
const randoms = (): (() => number) => {
  let state = 7;
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return state / 2_147_483_648;
  };
};

const WIDTH = 400;
const HEIGHT = 600;
const AROUND = { left: 40, top: 60, right: 20, bottom: 30 };

const isInside = (x: number, y: number): boolean =>
  x >= AROUND.left && y >= AROUND.top && x < WIDTH - AROUND.right && y < HEIGHT - AROUND.bottom;

/** A drawing: a frame with something in it. */
const drawing: Paint = (x, y) => ((x * 7 + y * 13) % 3 === 0 ? 30 : 120);

const onPaper =
  (paper: Paint): Paint =>
  (x, y) =>
    isInside(x, y) ? drawing(x, y) : paper(x, y);

const isAround = ({ left, top, right, bottom }: Insets): void => {
  // One line is left, and no part of the drawing is lost.
  for (const [share, pixels] of [
    [left * WIDTH, AROUND.left],
    [top * HEIGHT, AROUND.top],
    [right * WIDTH, AROUND.right],
    [bottom * HEIGHT, AROUND.bottom],
  ] as const)
    assert.ok(Math.abs(share - (pixels - 1)) < 0.01, `${share} of ${pixels}`);
};

block('borders', (check) => {
  check('white, black and grey ones end where the drawing begins', () => {
    for (const paper of [255, 0, 200])
      isAround(
        insetsOf(
          picture(
            WIDTH,
            HEIGHT,
            onPaper(() => paper),
          ),
        ),
      );
  });
  check('the grain of a scan, and dust on it, are not content', () => {
    const random = randoms();
    const grain = (): number => 215 + Math.round((random() + random() + random() - 1.5) * 20);
    isAround(insetsOf(picture(WIDTH, HEIGHT, onPaper(grain))));
    isAround(
      insetsOf(
        picture(
          WIDTH,
          HEIGHT,
          onPaper((x, y) => ((x * 31 + y * 17) % 997 === 3 ? 0 : grain())),
        ),
      ),
    );
  });
  check('the shadow of a scanner at two sides is cut off with the border behind it', () => {
    const shadow: Paint = (x, y) => (x < 4 || y < 5 ? 20 : 250);
    isAround(insetsOf(picture(WIDTH, HEIGHT, onPaper(shadow))));
  });
  check('a line of the drawing as thin as a pixel is content', () => {
    const lined = picture(WIDTH, HEIGHT, (x, y) => (y === 50 && x > 100 && x < 300 ? 90 : isInside(x, y) ? 0 : 255));
    assert.ok(Math.abs(insetsOf(lined).top * HEIGHT - 49) < 0.01);
  });
  check('a number below the drawing is content', () => {
    const numbered = onPaper((x, y) => (y > 575 && y < 585 && x > 195 && x < 205 ? 0 : 255));
    const { bottom } = insetsOf(picture(WIDTH, HEIGHT, numbered));
    assert.ok(bottom * HEIGHT < 15, String(bottom * HEIGHT));
  });
  check('a bare page is not cropped, whatever its colour and its grain', () => {
    const random = randoms();
    for (const paint of [() => 255, () => 0, () => 230 + Math.round(random() * 12)])
      assert.equal(insetsOf(picture(WIDTH, HEIGHT, paint)), NO_INSETS);
  });
  check('neither is noise, nor a drawing that goes to the edge', () => {
    const random = randoms();
    assert.equal(insetsOf(picture(WIDTH, HEIGHT, () => Math.floor(random() * 256))), NO_INSETS);
    assert.equal(insetsOf(picture(WIDTH, HEIGHT, (x, y) => (((x + y) >> 3) % 2) * 200)), NO_INSETS);
  });
  check('a drawing with an even edge of its own keeps it', () => {
    const night = onPaper(() => 255);
    const framed = picture(WIDTH, HEIGHT, (x, y) => {
      const isFrame = x < AROUND.left + 30 || y < AROUND.top + 30 || x > WIDTH - 60 || y > HEIGHT - 70;
      return isInside(x, y) && isFrame ? 5 : night(x, y);
    });
    isAround(insetsOf(framed));
  });
  /** A drawing of this size in the middle of a black page. */
  const inMiddle = (width: number, height: number): Insets =>
    insetsOf(
      picture(WIDTH, HEIGHT, (x, y) =>
        Math.abs(x + 0.5 - WIDTH / 2) < width / 2 && Math.abs(y + 0.5 - HEIGHT / 2) < height / 2 ? drawing(x, y) : 0,
      ),
    );
  check('a page that is mostly empty is not cropped, so that a caption does not fill the screen', () => {
    for (const [width, height] of [
      [20, 10],
      [360, 30],
      [30, 560],
      [380, 340],
      [220, 580],
      [270, 420],
    ] as const)
      assert.equal(inMiddle(width, height), NO_INSETS);
  });
  check('wide margins are cropped', () => {
    for (const [width, height] of [
      [300, 450],
      [260, 580],
      [390, 380],
    ] as const) {
      const { left, top, right, bottom } = inMiddle(width, height);
      const box = [(1 - left - right) * WIDTH, (1 - top - bottom) * HEIGHT] as const;
      assert.ok(Math.abs(box[0] - width) < 2.01 && Math.abs(box[1] - height) < 2.01, box.join(' × '));
    }
  });
  check('pictures too small to tell anything are not cropped', () => {
    for (const [width, height] of [
      [1, 1],
      [1, 4000],
      [15, 300],
    ] as const)
      assert.equal(insetsOf(picture(width, height, (x) => (x === 0 ? 255 : 0))), NO_INSETS);
  });
});

block('insets', (check) => {
  check('are stored as shares of two bytes, and unknown until they are', () => {
    const packed = unknownInsets(3);
    assert.is(readInsets(packed, 1), undefined);
    const insets = { left: 0.1, top: 0.25, right: 0, bottom: 1 / 3 };
    writeInsets(packed, 1, insets);
    assert.equal(
      [readInsets(packed, 0), readInsets(packed, 2), readInsets(packed, 3)],
      [undefined, undefined, undefined],
    );
    const read = readInsets(packed, 1) ?? NO_INSETS;
    for (const side of ['left', 'top', 'right', 'bottom'] as const)
      assert.ok(insets[side] - read[side] >= 0 && insets[side] - read[side] < 1e-4);
  });
  check('leave whole pixels, none of the content is lost, and a page of one pixel stays', () => {
    assert.equal(contentRect(1000, 1500, NO_INSETS), { left: 0, top: 0, width: 1000, height: 1500 });
    assert.equal(contentRect(1000, 1500, { left: 0.1234, top: 0.1, right: 0.0999, bottom: 0 }), {
      left: 123,
      top: 150,
      width: 778,
      height: 1350,
    });
    const third = { left: 1 / 3, top: 1 / 3, right: 1 / 3, bottom: 1 / 3 };
    assert.equal(contentRect(1, 1, third), { left: 0, top: 0, width: 1, height: 1 });
  });
});
