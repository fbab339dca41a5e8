// The address of the page and the screen it stands for. Links are plain links: a click on one of our own changes the screen instead of
// loading the page again.
import { computed, signal } from '@preact/signals';
import { ADDRESSES, type ScreenName } from '../../addresses.js';
import { forgetLayers, layersFollow, layersInHistory, onceSettled } from './layers.js';
import { pathBelowRoot, serverUrl } from './server-url.js';
import { leave } from './unsaved.js';

export interface Screen {
  readonly name: ScreenName | null;
  /** The parameter of the address; '' where it has none. */
  readonly id: string;
}

interface Pattern {
  readonly name: ScreenName;
  readonly test: RegExp;
}

const PATTERNS: readonly Pattern[] = (Object.keys(ADDRESSES) as ScreenName[]).map((name) => ({
  name,
  test: new RegExp(`^${ADDRESSES[name].replace('{id}', '([^/]+)')}/?$`),
}));

export const screenAt = (path: string): Screen => {
  for (const { name, test } of PATTERNS) {
    const found = test.exec(path);
    if (found !== null) return { name, id: decodeURIComponent(found[1] ?? '') };
  }
  return { name: null, id: '' };
};

/** The path and query below the root of the server. */
const here = (): string => `${pathBelowRoot(location.pathname) ?? '/'}${location.search}`;

const address = signal(here());

/** The screen that is shown, and what stands behind the `?`. */
export const screen = computed(() => screenAt(address.value.split('?')[0] ?? '/'));
export const query = computed(() => new URLSearchParams(address.value.split('?')[1] ?? ''));

type Values = Readonly<Record<string, string | null | undefined>>;

const queryOf = (values: Values): string => {
  const given = Object.entries(values).filter((pair): pair is [string, string] => Boolean(pair[1]));
  return given.length === 0 ? '' : `?${new URLSearchParams(given)}`;
};

/** The address of a screen, for links. */
export const linkTo = (name: ScreenName, id = '', values: Values = {}): string =>
  serverUrl(ADDRESSES[name].replace('{id}', encodeURIComponent(id)) + queryOf(values));

/** How the page was left, for going back. */
interface HistoryState {
  readonly scroll?: number;
  /** The address of the link that had the focus. */
  readonly link?: string | null;
  /** Whether the entry before it is a screen of ours: Back leaves Longbox otherwise. */
  readonly isInner?: boolean;
}

const isInner = (): boolean => (history.state as HistoryState | null)?.isInner === true;

/** What is still to be restored. */
let saved: HistoryState = {};

const loadSaved = (): void => {
  saved = (history.state as HistoryState | null) ?? {};
};

/** The scroll position at which the page was left; returned once. */
export const takeScroll = (): number => {
  const { scroll = 0, ...rest } = saved;
  saved = rest;
  return scroll;
};

/** The `href` of the link by which the page was left, or null; returned once. */
export const takeLink = (): string | null => {
  const { link = null, ...rest } = saved;
  saved = rest;
  return link;
};

const savePlace = (): void => {
  const link = document.activeElement?.closest('a')?.getAttribute('href') ?? null;
  history.replaceState({ ...history.state, scroll: scrollY, link }, '');
};

/** `link` as `linkTo` makes it. */
export const go = (link: string, { replaces = false } = {}): void => {
  const now = (): void => onceSettled(() => goNow(link, replaces));
  if (link.split('?', 1)[0] === location.pathname) now();
  else leave(now);
};

/** The entry of a dialog that is left by a link becomes that of the new screen. */
const goNow = (link: string, replaces: boolean): void => {
  saved = {};
  if (replaces || layersInHistory() > 0)
    history.replaceState({ isInner: isInner() || layersInHistory() > 0 }, '', link);
  else {
    savePlace();
    history.pushState({ isInner: true }, '', link);
  }
  const isOther = screenAt(here().split('?')[0] ?? '/') !== screen.value;
  address.value = here();
  if (!replaces && isOther) scrollTo(0, 0);
};

/** Sets query parameters of the address, on the same screen; '' removes one. Back undoes it, unless it replaces the address. */
export const chooseInQuery = (chosen: Readonly<Record<string, string>>, opts: { replaces?: boolean } = {}): void => {
  const values = new URLSearchParams(location.search);
  if (Object.entries(chosen).every(([name, value]) => (values.get(name) ?? '') === value)) return;
  for (const [name, value] of Object.entries(chosen)) {
    if (value === '') values.delete(name);
    else values.set(name, value);
  }
  const text = values.toString();
  go(location.pathname + (text === '' ? '' : `?${text}`), opts);
};

/** To the screen before this one; to `fallback` when this was opened from another site, a bookmark or a new tab. */
export const goBack = (fallback: string): void => {
  if (isInner()) leave(() => history.go(-1 - layersInHistory()));
  else go(fallback, { replaces: true });
};

/** A link that leads to a screen of ours, followed as people follow links in this window. */
const internalLink = (event: MouseEvent): HTMLAnchorElement | null => {
  if (event.defaultPrevented || event.button !== 0) return null;
  if (event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return null;
  const link = event.target instanceof Element ? event.target.closest('a') : null;
  if (link === null || link.target !== '' || link.hasAttribute('download') || link.origin !== location.origin)
    return null;
  const path = pathBelowRoot(link.pathname);
  return path !== null && screenAt(path).name !== null ? link : null;
};

export const followLinks = (): void => {
  history.scrollRestoration = 'manual'; // lists are filled after the page is shown; each restores its own place
  forgetLayers();
  loadSaved();
  addEventListener('popstate', () => {
    if (layersFollow(here() === address.peek())) return;
    loadSaved();
    address.value = here();
  });
  document.addEventListener('click', (event) => {
    const link = internalLink(event);
    if (link === null) return;
    event.preventDefault();
    if (link.href !== location.href) go(link.pathname + link.search);
  });
  addEventListener('pagehide', savePlace);
};

/** Where to go after signing in: a path of our own, or home. */
export const internalPath = (wanted: string | null): string => {
  if (wanted === null || !wanted.startsWith('/') || wanted.startsWith('//')) return serverUrl('/');
  const { origin, pathname, search } = new URL(wanted, location.origin);
  const path = origin === location.origin ? pathBelowRoot(pathname) : null;
  return path !== null && screenAt(path).name !== null ? pathname + search : serverUrl('/');
};
