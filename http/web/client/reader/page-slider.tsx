// The position in the book as a slider, with a preview of the page that it is dragged to. The reader follows when it rests or is released:
// turning through all pages on the way would load each of them.
import { type Signal, untracked, useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { r } from '../messages/reader-messages.js';
import { PageThumb, stopLoading } from './page-thumb.js';
import { pagesShown, type Reading } from './reading.js';
import { cellOf } from './rules/sheets.js';

const REST_MS = 350;
/** A sheet that is only passed over is not worth making. */
const SHEET_MS = 120;

const Preview = ({ reading, page }: { readonly reading: Reading; readonly page: number }) => {
  const frame = useRef<HTMLDivElement>(null);
  const { sheet } = cellOf(page);
  const wanted = useSignal(0);
  useEffect(() => {
    const timer = setTimeout(() => {
      wanted.value = sheet;
    }, SHEET_MS);
    return () => clearTimeout(timer);
  }, [sheet, wanted]);
  useEffect(() => {
    const { current } = frame;
    return () => stopLoading(current);
  }, []);
  const share = page / Math.max(1, reading.opened.pages.length - 1);
  const fromLeft = reading.layout.value.isRtl ? 1 - share : share;
  return (
    <div class="slider-preview" ref={frame} aria-hidden="true" style={{ left: `${fromLeft * 100}%` }}>
      <PageThumb reading={reading} page={page} isWanted={wanted.value === sheet} />
      <span>{page + 1}</span>
    </div>
  );
};

/** Goes to the page that the slider is dragged to, from 0, once it rests there; null while it is not dragged. */
const useDrag = (reading: Reading): { readonly aim: Signal<number | null>; readonly end: () => void } => {
  const aim = useSignal<number | null>(null);
  const isShown = reading.isMenuShown.value;
  const aimed = aim.value;
  useEffect(() => {
    if (aimed === null) return undefined;
    const timer = setTimeout(() => reading.view.current?.goTo(aimed), REST_MS);
    return () => clearTimeout(timer);
  }, [aimed, reading]);
  useEffect(() => {
    if (!isShown) aim.value = null;
  }, [isShown, aim]);
  const end = (): void => {
    const page = aim.value;
    aim.value = null;
    if (page !== null) reading.view.current?.goTo(page);
  };
  return { aim, end };
};

export const PageSlider = ({ reading }: { readonly reading: Reading }) => {
  const { aim, end } = useDrag(reading);
  const count = reading.opened.pages.length;
  const aimed = aim.value;
  // While hidden, it need not be updated.
  const isFollowing = reading.isMenuShown.value;
  const shown = isFollowing ? pagesShown(reading) : untracked(() => pagesShown(reading));
  const [first, last] = aimed === null ? shown : [aimed + 1, aimed + 1];
  const page = (isFollowing ? reading.page.value : reading.page.peek()) + 1;
  return (
    <>
      <div class="page-slider">
        <input
          type="range"
          min={1}
          max={Math.max(1, count)}
          value={aimed === null ? page : aimed + 1}
          dir={reading.layout.value.isRtl ? 'rtl' : 'ltr'}
          aria-label={r.bar.page}
          aria-valuetext={r.page.of(first, last, count)}
          onInput={({ currentTarget }) => {
            aim.value = currentTarget.valueAsNumber - 1;
          }}
          onChange={end}
          onPointerUp={end}
          onPointerCancel={end}
          onBlur={end}
        />
        {aimed !== null && <Preview reading={reading} page={aimed} />}
      </div>
      <span class="reader-count">{r.page.short(first, last, count)}</span>
    </>
  );
};
