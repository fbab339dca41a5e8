// One image in its box, which has its size before the image is there. A page that fails says so, and can be tried again.
import { useLayoutEffect, useRef } from 'preact/hooks';
import { r } from '../messages/reader-messages.js';
import { ErrorDetail } from '../parts/error-message.js';
import type { HeldImage } from './images.js';
import type { Reading } from './reading.js';
import type { Crop } from './rules/crop.js';
import type { Size } from './rules/pages.js';
import type { Leaf, Turn } from './rules/spreads.js';

interface Props {
  readonly reading: Reading;
  readonly leaf: Leaf;
  readonly box: Size;
  /** Where it lies, if not where the layout of the document puts it. */
  readonly style?: Readonly<Record<string, string>>;
}

const px = (value: number): string => `${value}px`;

/** The whole image; only a part is visible if the page is cropped, split or turned. */
interface Shown extends Size {
  /** Where the part begins, in the image. */
  readonly left: number;
  readonly top: number;
}

const WHOLE: Crop = { left: 0, top: 0, width: 1, height: 1 };

const shownOf = ({ part, turn }: Leaf, box: Size, crop: Crop | null): Shown => {
  const share = crop ?? WHOLE;
  const [across, down] =
    turn === 'none' ? [part === 'whole' ? box.width : box.width * 2, box.height] : [box.height, box.width];
  const [width, height] = [across / share.width, down / share.height];
  return { width, height, left: width * share.left + (part === 'right' ? box.width : 0), top: height * share.top };
};

/** Rotates the image around its top left corner, and moves it back into the box. */
const TURNS: Readonly<Record<Turn, (box: Size) => string>> = {
  none: () => '',
  right: ({ width }) => `translate(${width}px, 0) rotate(90deg) `,
  left: ({ height }) => `translate(0, ${height}px) rotate(-90deg) `,
};

const imageStyle = (leaf: Leaf, box: Size, { width, height, left, top }: Shown): Readonly<Record<string, string>> => {
  const move = left === 0 && top === 0 ? '' : `translate(${-left}px, ${-top}px)`;
  return { width: px(width), height: px(height), transform: TURNS[leaf.turn](box) + move };
};

export const urlOf = (reading: Reading, leaf: Leaf, box: Size): string =>
  reading.imageUrl(leaf.page, shownOf(leaf, box, reading.borders.cropOf(leaf.page)).width);

const Failed = ({ reading, leaf, held }: Pick<Props, 'reading' | 'leaf'> & { readonly held: HeldImage }) => (
  <div class="page-error" role="alert">
    <p>{r.page.failed(leaf.page + 1)}</p>
    <ErrorDetail text={reading.opened.pages[leaf.page]?.fault ?? null} />
    <button type="button" class="button" onClick={() => reading.images.retry(held.url)}>
      {r.page.again}
    </button>
  </div>
);

export const PageBox = ({ reading, leaf, box, style = {} }: Props) => {
  const frame = useRef<HTMLDivElement>(null);
  const held = reading.images.at(urlOf(reading, leaf, box));
  const state = held.state.value;
  const image = imageStyle(leaf, box, shownOf(leaf, box, reading.borders.cropOf(leaf.page)));
  useLayoutEffect(() => {
    // While a sharper image of the same page is loaded, the one before stays.
    if (state === 'waiting' && frame.current?.firstElementChild != null) return;
    held.element.alt = r.page.alt(leaf.page + 1);
    if (frame.current?.firstElementChild !== held.element) frame.current?.replaceChildren(held.element);
  }, [held, state, leaf.page]);
  useLayoutEffect(() => {
    for (const element of frame.current?.children ?? [])
      if (element instanceof HTMLElement) Object.assign(element.style, { transform: '' }, image);
  });
  return (
    <div
      class={`leaf ${state}`}
      data-page={leaf.page + 1}
      aria-busy={state === 'waiting'}
      style={{ ...style, width: px(box.width), height: px(box.height) }}
    >
      <div class="leaf-image" ref={frame} />
      {state === 'failed' && <Failed reading={reading} leaf={leaf} held={held} />}
    </div>
  );
};
