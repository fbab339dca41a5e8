// The window of the reader: the pages, what lies over them, and everything that goes on while somebody reads.
import { useSignal, useSignalEffect } from '@preact/signals';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import { r } from '../messages/reader-messages.js';
import { run } from './actions.js';
import { autoAdvance } from './auto-advance.js';
import { Bars, ProgressLine } from './bars.js';
import { stayAwake } from './fullscreen.js';
import { followGestures } from './gestures.js';
import { storePlaceInHistory } from './history-anchor.js';
import { KeysPanel } from './keys-panel.js';
import { useNeighbours } from './neighbours.js';
import { OtherDeviceNotice, useOtherDevices } from './other-devices.js';
import { edgeColour, filterOf } from './page-colours.js';
import { PageOverview } from './page-overview.js';
import { Paged } from './paged.js';
import { noteOpener } from './panel-focus.js';
import { pagesShown, type Reading } from './reading.js';
import { actionOfPress, bindingsOf, comboOf } from './rules/keys.js';
import { reportOthers } from './saved-positions.js';
import { SettingsPanel } from './settings-panel.js';
import { Strip } from './strip.js';
import { EndCard } from './transition.js';
import { ZonesPreview } from './zones-preview.js';

interface Props {
  readonly reading: Reading;
}

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof Element && target.closest('input, select, textarea, dialog') !== null;

const PRESSES = new Set(['Enter', 'Space']);

const isPress = (target: EventTarget | null, combo: string): boolean =>
  PRESSES.has(combo) && target instanceof Element && target.closest('button, a, summary') !== null;

const useKeys = (reading: Reading): void => {
  // With the first picture, not after it: a key that is pressed at once counts.
  useLayoutEffect(() => {
    const press = (event: KeyboardEvent): void => {
      if (event.defaultPrevented || reading.panel.value !== null || isTyping(event.target)) return;
      // The keyboard can reach the menu even while it is hidden.
      if (event.key === 'Tab') reading.isMenuShown.value = true;
      const combo = comboOf(event);
      if (combo === undefined || isPress(event.target, combo)) return;
      const action = actionOfPress(bindingsOf(reading.stored.all.value.keys), event);
      if (action === undefined) return;
      event.preventDefault();
      noteOpener(null);
      run(reading, action);
    };
    addEventListener('keydown', press);
    return () => removeEventListener('keydown', press);
  }, [reading]);
};

/** The size of the viewport, without what a notch or a rounded corner takes. */
const useScreen = (reading: Reading, viewport: { readonly current: HTMLElement | null }): void => {
  useLayoutEffect(() => {
    const { current } = viewport;
    if (current === null) return undefined;
    const measure = (): void => {
      const { clientWidth: width, clientHeight: height } = current;
      const before = reading.screen.peek();
      const density = devicePixelRatio;
      if (width === 0 || height === 0) return;
      if (before.width !== width || before.height !== height || before.density !== density)
        reading.screen.value = { width, height, density };
    };
    const observer = new ResizeObserver(measure);
    observer.observe(current);
    measure();
    return () => observer.disconnect();
  }, [reading, viewport]);
};

/** The position is saved once scrolling has paused for this long. */
const SAVE_MS = 400;

const useLife = (reading: Reading): void => {
  useNeighbours(reading);
  useOtherDevices(reading);
  useEffect(() => {
    void reportOthers(reading.userId, reading.opened.book.id);
    // It may have been switched on in another book.
    if (reading.isIncognito.peek()) reading.note.value = r.note.incognito;
  }, [reading]);
  useEffect(() => {
    const leave = (): void => {
      if (document.visibilityState === 'visible') return;
      storePlaceInHistory(reading.opened.book.id, reading.place());
      reading.flush();
    };
    document.addEventListener('visibilitychange', leave);
    addEventListener('pagehide', leave);
    return () => {
      document.removeEventListener('visibilitychange', leave);
      removeEventListener('pagehide', leave);
    };
  }, [reading]);
  useSignalEffect(() => {
    reading.anchor.value;
    const timer = setTimeout(reading.savePlace, SAVE_MS);
    return () => clearTimeout(timer);
  });
  useSignalEffect(() => autoAdvance(reading));
  useSignalEffect(reading.borders.ask);
  useSignalEffect(() => (reading.stored.all.value.awake ? stayAwake() : undefined));
};

const NOTE_MS = 1800;

const Note = ({ reading }: Props) => {
  useSignalEffect(() => {
    if (reading.note.value === '') return undefined;
    const timer = setTimeout(() => {
      reading.note.value = '';
    }, NOTE_MS);
    return () => clearTimeout(timer);
  });
  return (
    <p class={reading.note.value === '' ? 'reader-note' : 'reader-note shown'} role="status">
      {reading.note.value}
    </p>
  );
};

/** Said to those who do not see the pages. */
const PageAnnouncement = ({ reading }: Props) => (
  <p class="visually-hidden" role="status">
    {r.page.of(...pagesShown(reading), reading.opened.pages.length)}
  </p>
);

const FLASH_MS = 120;

/** E-ink screens keep traces of earlier pages until the whole screen has been white once. */
const Flash = ({ reading }: Props) => {
  const isOn = useSignal(false);
  const turns = useRef(0);
  const page = reading.page.value;
  const { ink, flashEvery } = reading.stored.all.value;
  useEffect(() => {
    turns.current += 1;
    if (!ink || flashEvery === 0 || turns.current % flashEvery !== 0) return undefined;
    isOn.value = true;
    const timer = setTimeout(() => {
      isOn.value = false;
    }, FLASH_MS);
    return () => clearTimeout(timer);
  }, [page]);
  return isOn.value ? <div class="flash" /> : null;
};

/** The image that shows a page now, if it is loaded. */
const imageOnScreen = (viewport: HTMLElement | null, page: number): HTMLImageElement | null => {
  const image = viewport?.querySelector<HTMLImageElement>(`[data-page="${page + 1}"] img`);
  return image?.complete === true ? image : null;
};

/** Follows the edge of the page; until it is there, the colour before stays. */
const useBackground = (reading: Reading, viewport: { readonly current: HTMLElement | null }): string | undefined => {
  const colour = useSignal<string | undefined>(undefined);
  const isWanted = reading.stored.all.value.background === 'page';
  // Otherwise each page would render everything again.
  const page = isWanted ? reading.page.value : 0;
  useEffect(() => {
    if (!isWanted) return undefined;
    const look = (): void => {
      const image = imageOnScreen(viewport.current, page);
      if (image !== null) colour.value = edgeColour(image) ?? colour.value;
    };
    look();
    const { current } = viewport;
    current?.addEventListener('load', look, { capture: true });
    return () => current?.removeEventListener('load', look, { capture: true });
  }, [isWanted, page, viewport, colour]);
  return isWanted ? colour.value : undefined;
};

const Panels = ({ reading }: Props) => {
  const panel = reading.panel.value;
  if (panel === 'settings') return <SettingsPanel reading={reading} />;
  if (panel === 'keys') return <KeysPanel reading={reading} />;
  return panel === 'pages' ? <PageOverview reading={reading} /> : null;
};

const StageContent = ({ reading }: Props) => {
  const viewport = useRef<HTMLDivElement>(null);
  useScreen(reading, viewport);
  useKeys(reading);
  useLife(reading);
  useEffect(() => (viewport.current === null ? undefined : followGestures(reading, viewport.current)), [reading]);
  const settings = reading.stored.all.value;
  const isStrip = reading.layout.value.mode.startsWith('strip');
  const colour = useBackground(reading, viewport);
  const style = { filter: filterOf(settings) };
  return (
    <div
      class={`stage background-${settings.background} ${settings.ink ? 'ink' : ''}`}
      style={colour === undefined ? { background: '' } : { background: colour }}
    >
      <section class="viewport" ref={viewport} tabIndex={-1} aria-label={r.page.region} style={style}>
        {isStrip ? <Strip reading={reading} /> : <Paged reading={reading} />}
        {isStrip && reading.where.value === 'before' && (
          <div class="before-strip">
            <EndCard reading={reading} heading={-1} />
          </div>
        )}
      </section>
      <ProgressLine reading={reading} />
      <PageAnnouncement reading={reading} />
      <Note reading={reading} />
      <Flash reading={reading} />
      {reading.areZonesShown.value && <ZonesPreview reading={reading} />}
      <OtherDeviceNotice reading={reading} />
      <Bars reading={reading} />
    </div>
  );
};

/** Panels have the colours of the theme, whatever lies behind the pages. */
export const Stage = ({ reading }: Props) => (
  <>
    <StageContent reading={reading} />
    <Panels reading={reading} />
  </>
);
