// The bars over the pages, shown on request: leaving the book, opening everything else, and the position in the book.
import { useEffect, useRef } from 'preact/hooks';
import { r } from '../messages/reader-messages.js';
import { partsOf } from '../parts/title-parts.js';
import { run } from './actions.js';
import { canFullscreen, isFullscreen } from './fullscreen.js';
import { PageSlider } from './page-slider.js';
import { noteOpener } from './panel-focus.js';
import { ReaderIcon, type ReaderIconName } from './reader-icon.js';
import { type PagePair, pagesShown, type Reading } from './reading.js';
import type { Action } from './rules/keys.js';

interface ButtonProps {
  readonly reading: Reading;
  readonly action: Action;
  readonly icon: ReaderIconName;
  readonly label: string;
  readonly isPressed?: boolean;
  readonly isDisabled?: boolean;
  /** There is no room for it on a phone, where the settings have it. */
  readonly isForWide?: boolean;
}

const BarButton = ({ reading, action, icon, label, isPressed, isDisabled = false, isForWide = false }: ButtonProps) => (
  <button
    type="button"
    class={isForWide ? 'button round when-wide' : 'button round'}
    aria-label={label}
    title={label}
    {...(isPressed === undefined ? {} : { 'aria-pressed': isPressed })}
    disabled={isDisabled}
    onClick={({ currentTarget, detail }) => {
      noteOpener(detail === 0 ? currentTarget : null); // 0 for a click by keyboard
      run(reading, action);
    }}
  >
    <ReaderIcon name={icon} />
  </button>
);

const TopBar = ({ reading }: { readonly reading: Reading }) => {
  const { book } = reading.opened;
  const place = reading.neighbours.value?.place;
  const title = partsOf(book.title, book.seriesName); // the series is named above
  return (
    <header class="reader-bar top-bar">
      <BarButton reading={reading} action="close" icon="back" label={r.bar.back} />
      <div class="reader-title">
        <p dir="auto">
          {place !== undefined && `${r.bar.place(place.position, place.total)} · `}
          {book.seriesName}
        </p>
        <h1 dir="auto">
          {title.before !== '' && <span class="visually-hidden">{title.before}</span>}
          {title.shown} {title.end}
        </h1>
      </div>
      <BarButton
        reading={reading}
        action="incognito"
        icon="incognito"
        label={r.bar.incognito}
        isPressed={reading.isIncognito.value}
        isForWide
      />
      <BarButton reading={reading} action="pages" icon="pages" label={r.bar.pages} />
      <BarButton reading={reading} action="help" icon="keys" label={r.bar.keys} isForWide />
      {canFullscreen && (
        <BarButton
          reading={reading}
          action="fullscreen"
          icon="fullscreen"
          label={r.bar.fullscreen}
          isPressed={isFullscreen.value}
        />
      )}
      <BarButton reading={reading} action="settings" icon="settings" label={r.bar.settings} />
    </header>
  );
};

const BottomBar = ({ reading }: { readonly reading: Reading }) => {
  const isRtl = reading.layout.value.isRtl;
  const neighbours = reading.neighbours.value;
  const [left, right] = isRtl ? (['next', 'previous'] as const) : (['previous', 'next'] as const);
  const button = (which: 'previous' | 'next', icon: ReaderIconName) => (
    <BarButton
      reading={reading}
      action={`${which}-book`}
      icon={icon}
      label={which === 'next' ? r.bar.nextBook : r.bar.previousBook}
      isDisabled={(which === 'next' ? neighbours?.next : neighbours?.prev) === undefined}
    />
  );
  return (
    <footer class="reader-bar bottom-bar">
      {button(left, 'to-left')}
      <PageSlider reading={reading} />
      {button(right, 'to-right')}
    </footer>
  );
};

export const Bars = ({ reading }: { readonly reading: Reading }) => {
  const frame = useRef<HTMLDivElement>(null);
  const isShown = reading.isMenuShown.value;
  useEffect(() => {
    // The keyboard goes where the menu appeared, and back to the pages with it.
    if (!isShown && frame.current?.contains(document.activeElement) === true)
      (document.activeElement as HTMLElement).blur();
  }, [isShown]);
  return (
    <div ref={frame} class={isShown ? 'reader-bars shown' : 'reader-bars'} inert={!isShown}>
      <TopBar reading={reading} />
      <BottomBar reading={reading} />
    </div>
  );
};

/** As wide for each page of the book, so that nothing in it moves: a figure space is as wide as a figure. */
const evenly = ([first, last]: PagePair, count: number, isDouble: boolean): string => {
  const widest = r.page.short(isDouble ? count - 1 : count, count, count);
  return r.page.short(first, last, count).padStart(widest.length, '\u2007');
};

/** A line along an edge, and the number of the page; both stay when the menu goes. */
export const ProgressLine = ({ reading }: { readonly reading: Reading }) => {
  const { bar, barSize, pageNumber } = reading.stored.all.value;
  const count = reading.opened.pages.length;
  const { isRtl, isDouble } = reading.layout.value;
  const share = count <= 1 ? 1 : reading.page.value / (count - 1);
  const isUpright = bar === 'left' || bar === 'right';
  const isBack = isRtl && !isUpright;
  return (
    <div class="reader-line" aria-hidden="true">
      {bar !== 'hidden' && (
        <div
          class={`edge-line at-${bar} ${isBack ? 'from-right' : ''}`}
          style={{ [isUpright ? 'inlineSize' : 'blockSize']: `${barSize}px` }}
        >
          <i style={{ transform: isUpright ? `scaleY(${share})` : `scaleX(${share})` }} />
        </div>
      )}
      {pageNumber && !reading.isMenuShown.value && (
        <span class="page-number">{evenly(pagesShown(reading), count, isDouble)}</span>
      )}
    </div>
  );
};
