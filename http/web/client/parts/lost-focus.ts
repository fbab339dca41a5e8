// Moves focus when the focused element is removed: to a control nearby, or to the one that opened its dialog. Browsers just drop it, and
// keyboard users would start over at the top of the page.

const FOCUSABLE =
  'a[href], button:not(:disabled), input:not(:disabled), select:not(:disabled), textarea:not(:disabled)';

/** Never a fallback: on a phone, the keyboard would open. */
const TEXT_FIELDS = 'input:not([type=checkbox], [type=radio]), textarea';

interface Place {
  /** The screen it was on; nothing carries over to another. */
  readonly path: string;
  /** The element itself, then its ancestors, innermost first; above a dialog, the control that opened it and its ancestors. */
  readonly ancestry: readonly Element[];
  /** The rows next to its own. */
  readonly adjacentRows: readonly Element[];
  /** Its index among the controls of its row. */
  readonly indexInRow: number;
}

let last: Place | null = null;
const openers = new WeakMap<Element, Place>();

const controlsIn = (element: Element): readonly HTMLElement[] =>
  [...element.querySelectorAll<HTMLElement>(FOCUSABLE)].filter(
    (one) => one.tabIndex >= 0 && one.closest('[inert]') === null && one.checkVisibility(),
  );

const ancestryOf = (element: Element): readonly Element[] => {
  const ancestry: Element[] = [];
  for (let at: Element | null = element; at !== null; at = at.parentElement) {
    ancestry.push(at);
    const opener = openers.get(at);
    if (opener !== undefined) return [...ancestry, ...opener.ancestry];
  }
  return ancestry;
};

const placeOf = (element: Element): Place => {
  const row = element.closest('li');
  return {
    path: location.pathname,
    ancestry: ancestryOf(element),
    adjacentRows: [row?.nextElementSibling, row?.previousElementSibling].filter((one) => one instanceof Element),
    indexInRow: row === null ? 0 : controlsIn(row).indexOf(element as HTMLElement),
  };
};

/** Call when a dialog opens: once it has closed, focus returns to where it is now. */
export const rememberOpener = (dialog: Element): void => {
  if (last !== null) openers.set(dialog, last);
};

const hasNoFocus = (): boolean => document.activeElement === null || document.activeElement === document.body;

/** The element to focus instead; null while there is none. */
const fallbackFor = ({ ancestry, adjacentRows, indexInRow }: Place): HTMLElement | null => {
  const row = ancestry.find((one) => one.matches('li'));
  const neighbour = adjacentRows.find((one) => one.isConnected);
  if (row?.isConnected === false && neighbour !== undefined) {
    const controls = controlsIn(neighbour);
    return controls[indexInRow] ?? controls[0] ?? null;
  }
  const near = ancestry.find((one) => one.isConnected && one !== document.documentElement && one !== document.body);
  if (near instanceof HTMLElement && (near.matches(FOCUSABLE) || near.matches('main'))) return near;
  return near === undefined ? null : (controlsIn(near).find((one) => !one.matches(TEXT_FIELDS)) ?? null);
};

const restore = (): void => {
  if (last === null || !hasNoFocus() || last.ancestry[0]?.isConnected !== false) return;
  // The reader and the sign-in screens have their own rules.
  if (last.path === location.pathname && document.querySelector('main.bare') === null)
    fallbackFor(last)?.focus({ preventScroll: true });
  else last = null;
};

export const recoverFocus = (): void => {
  document.addEventListener('focusin', ({ target }) => {
    if (target instanceof Element) last = placeOf(target);
  });
  // Not every browser focuses a clicked button; a click outside all controls gives up the focus.
  document.addEventListener(
    'pointerdown',
    ({ target }) => {
      const control = target instanceof Element ? target.closest(FOCUSABLE) : null;
      last = control === null ? null : placeOf(control);
    },
    { capture: true },
  );
  new MutationObserver(restore).observe(document.body, { childList: true, subtree: true });
};
