// One image in its box, which has its size before the image is there. A page that fails says so, and can be tried again.
import { useLayoutEffect, useRef } from 'preact/hooks';
import { r } from '../messages/reader-messages.js';
import type { HeldImage } from './images.js';
import type { Reading } from './reading.js';
import type { Size } from './rules/pages.js';
import type { Leaf } from './rules/spreads.js';

interface Props {
  readonly reading: Reading;
  readonly leaf: Leaf;
  readonly box: Size;
  /** Where it lies, if not where the layout of the document puts it. */
  readonly style?: Readonly<Record<string, string>>;
}

const px = (value: number): string => `${value}px`;

/** The box of the whole image, of which a half is seen, or which is turned. */
const imageStyle = ({ part, isTurned }: Leaf, { width, height }: Size): Readonly<Record<string, string>> => {
  if (isTurned)
    return {
      width: px(height),
      height: px(width),
      transform: `translate(${width}px, 0) rotate(90deg)`,
    };
  if (part === 'whole') return { width: px(width), height: px(height) };
  return { width: px(width * 2), height: px(height), transform: `translateX(${part === 'left' ? 0 : -width}px)` };
};

/** The width of the whole image on the screen. */
const shownWidth = ({ part, isTurned }: Leaf, { width, height }: Size): number =>
  isTurned ? height : part === 'whole' ? width : width * 2;

export const urlOf = (reading: Reading, leaf: Leaf, box: Size): string =>
  reading.imageUrl(leaf.page, shownWidth(leaf, box));

const Failed = ({ reading, leaf, held }: Pick<Props, 'reading' | 'leaf'> & { readonly held: HeldImage }) => (
  <div class="page-fault" role="alert">
    <p>{r.page.failed(leaf.page + 1)}</p>
    {typeof reading.opened.pages[leaf.page]?.fault === 'string' && <p>{reading.opened.pages[leaf.page]?.fault}</p>}
    <button type="button" class="button" onClick={() => reading.images.retry(held.url)}>
      {r.page.again}
    </button>
  </div>
);

export const PageBox = ({ reading, leaf, box, style = {} }: Props) => {
  const frame = useRef<HTMLDivElement>(null);
  const held = reading.images.at(urlOf(reading, leaf, box));
  const state = held.state.value;
  const image = imageStyle(leaf, box);
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
      style={{ ...style, width: px(box.width), height: px(box.height) }}
    >
      <div class="leaf-image" ref={frame} />
      {state === 'failed' && <Failed reading={reading} leaf={leaf} held={held} />}
    </div>
  );
};
