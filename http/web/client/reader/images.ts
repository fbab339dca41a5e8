// The images of pages: loaded in the order in which they are needed, and released when they are no longer near.
import { type Signal, signal } from '@preact/signals';

export type Loading = 'waiting' | 'ready' | 'failed';

export interface HeldImage {
  readonly url: string;
  readonly element: HTMLImageElement;
  readonly state: Signal<Loading>;
}

export interface Images {
  /** The image at an address, whether it is loaded yet or not. */
  at(url: string): HeldImage;
  /** What to hold from now on: the images on the screen, and those to read ahead, most urgent first. Others are let go. */
  hold(shown: readonly string[], ahead: readonly string[]): void;
  retry(url: string): void;
  close(): void;
}

interface Held extends HeldImage {
  isStarted: boolean;
  failures: number;
  /** Nobody waits for it any longer. */
  stop: () => void;
}

/** More at a time would delay the one that is needed first. */
const AT_ONCE = 4;
/** Loading and decoding what comes next would delay the frame that shows the page just turned to, so it begins afterwards. */
const AFTER_TURN_MS = 60;

const newHeld = (url: string): Held => {
  const element = new Image();
  element.decoding = 'async';
  element.fetchPriority = 'high';
  element.draggable = false;
  return { url, element, state: signal('waiting'), isStarted: false, failures: 0, stop: () => undefined };
};

const arrival = (element: HTMLImageElement): Promise<void> =>
  new Promise((resolve, reject) => {
    element.addEventListener('load', () => resolve(), { once: true });
    element.addEventListener('error', () => reject(new Error('it cannot be loaded')), { once: true });
  });

/** A decoder may give up on a large image that the browser can show all the same. */
const isShowable = ({ complete, naturalWidth }: HTMLImageElement): boolean => complete && naturalWidth > 0;

export interface ImagePoolOptions {
  /** A failed image does not say whether the session has ended, so that is checked once. */
  readonly renew: () => Promise<void>;
  /**
   * Whether images are decoded before they count as ready, so that a page turn shows them at once. In a strip, browsers decode nearby
   * images piecemeal and discard them by themselves; decoding on demand took 90 MB more and delayed frames.
   */
  readonly decodes: () => boolean;
}

export const imagePool = ({ renew, decodes }: ImagePoolOptions): Images => {
  const held = new Map<string, Held>();
  let wanted: readonly string[] = [];
  let shown: ReadonlySet<string> = new Set();
  let aheadTimer: ReturnType<typeof setTimeout> | undefined;
  let isOpen = true;
  let running = 0;

  const load = async (image: Held): Promise<void> => {
    const isDecoded = decodes();
    const arrives = isDecoded ? undefined : arrival(image.element);
    image.element.src = image.url;
    // A browser may leave the decoding of an image without a source undecided for ever.
    const stopped = new Promise<never>((_, reject) => {
      image.stop = () => reject(new Error('no longer needed'));
    });
    try {
      await Promise.race([arrives ?? image.element.decode(), stopped]);
    } catch (thrown) {
      if (!isShowable(image.element)) throw thrown;
    }
  };

  const isHeld = (image: Held): boolean => isOpen && held.get(image.url) === image;

  const run = async (image: Held): Promise<void> => {
    image.isStarted = true;
    running += 1;
    try {
      await load(image).catch(async (thrown: unknown) => {
        if (!isHeld(image) || image.failures > 0) throw thrown;
        image.failures += 1;
        await renew();
        image.element.removeAttribute('src');
        await load(image);
      });
      image.state.value = 'ready';
    } catch {
      image.failures += 1;
      if (isHeld(image)) image.state.value = 'failed';
    } finally {
      running -= 1;
      if (shown.has(image.url)) startAheadSoon();
      else startSome(wanted);
    }
  };

  const startSome = (urls: Iterable<string>): void => {
    for (const url of urls) {
      if (running >= AT_ONCE || !isOpen) return;
      const image = held.get(url);
      if (image !== undefined && !image.isStarted) void run(image);
    }
  };

  /** The next turn does not postpone it; otherwise, nothing would be read ahead while somebody keeps turning. */
  const startAheadSoon = (): void => {
    aheadTimer ??= setTimeout(() => {
      aheadTimer = undefined;
      startSome(wanted);
    }, AFTER_TURN_MS);
  };

  const at = (url: string): Held => {
    const known = held.get(url);
    if (known !== undefined) return known;
    const image = newHeld(url);
    held.set(url, image);
    return image;
  };

  /** No longer held, but possibly still on the screen: each keeps its source until it is replaced there. */
  const released = new Set<HTMLImageElement>();

  /** Browsers keep the decoded pixels of an image for as long as it has a source. */
  const clearReleased = (): void => {
    for (const element of released) {
      if (element.isConnected) continue;
      element.removeAttribute('src');
      released.delete(element);
    }
  };

  const letGo = (image: Held): void => {
    held.delete(image.url);
    image.stop();
    released.add(image.element);
  };

  const retry = (url: string): void => {
    const image = held.get(url);
    if (image === undefined || image.state.value !== 'failed') return;
    Object.assign(image, { isStarted: false, failures: 0 });
    image.element.removeAttribute('src');
    image.state.value = 'waiting';
    startSome(wanted);
  };

  /** When the network is back. */
  const retryAll = (): void => {
    for (const url of [...held.keys()]) retry(url);
  };
  addEventListener('online', retryAll);

  return {
    at,
    hold: (onScreen, ahead) => {
      shown = new Set(onScreen);
      const near = new Set([...onScreen, ...ahead]);
      wanted = [...near];
      for (const image of [...held.values()]) if (!near.has(image.url)) letGo(image);
      clearReleased();
      for (const url of wanted) at(url);
      startSome(shown);
      startAheadSoon();
    },
    retry,
    close: () => {
      isOpen = false;
      removeEventListener('online', retryAll);
      clearTimeout(aheadTimer);
      for (const image of [...held.values()]) letGo(image);
      clearReleased();
    },
  };
};
