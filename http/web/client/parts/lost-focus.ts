// Where the focus goes when what had it is removed: to what is left around it, or to what opened the dialog it stood in. Browsers would
// give it to nothing, and whoever works by keyboard would begin again at the top of the page.

const FOCUSABLE =
  'a[href], button:not(:disabled), input:not(:disabled), select:not(:disabled), textarea:not(:disabled)';

/** Never a substitute: on a phone, the keyboard would open. */
const TYPED_INTO = 'input:not([type=checkbox], [type=radio]), textarea';

interface Place {
  /** The screen it was on: another begins anew. */
  readonly path: string;
  /** The element itself, then its ancestors from inside to outside; from a dialog on, those of what opened it. */
  readonly around: readonly Element[];
  /** The rows beside the row that it was in. */
  readonly beside: readonly Element[];
  /** Which of the controls of its row it was. */
  readonly inRow: number;
}

let last: Place | null = null;
const openers = new WeakMap<Element, Place>();

const controlsIn = (element: Element): readonly HTMLElement[] =>
  [...element.querySelectorAll<HTMLElement>(FOCUSABLE)].filter(
    (one) => one.tabIndex >= 0 && one.closest('[inert]') === null && one.checkVisibility(),
  );

const ancestorsOf = (element: Element): readonly Element[] => {
  const around: Element[] = [];
  for (let at: Element | null = element; at !== null; at = at.parentElement) {
    around.push(at);
    const opener = openers.get(at);
    if (opener !== undefined) return [...around, ...opener.around];
  }
  return around;
};

const placeOf = (element: Element): Place => {
  const row = element.closest('li');
  return {
    path: location.pathname,
    around: ancestorsOf(element),
    beside: [row?.nextElementSibling, row?.previousElementSibling].filter((one) => one instanceof Element),
    inRow: row === null ? 0 : controlsIn(row).indexOf(element as HTMLElement),
  };
};

/** A dialog that is being opened: when it is gone, the focus goes back to where it is now. */
export const rememberOpener = (dialog: Element): void => {
  if (last !== null) openers.set(dialog, last);
};

const hasNoFocus = (): boolean => document.activeElement === null || document.activeElement === document.body;

/** What is to have the focus instead; null while nothing there can have it. */
const substituteFor = ({ around, beside, inRow }: Place): HTMLElement | null => {
  const row = around.find((one) => one.matches('li'));
  const neighbour = beside.find((one) => one.isConnected);
  if (row?.isConnected === false && neighbour !== undefined) {
    const controls = controlsIn(neighbour);
    return controls[inRow] ?? controls[0] ?? null;
  }
  const near = around.find((one) => one.isConnected && one !== document.documentElement && one !== document.body);
  if (near instanceof HTMLElement && (near.matches(FOCUSABLE) || near.matches('main'))) return near;
  return near === undefined ? null : (controlsIn(near).find((one) => !one.matches(TYPED_INTO)) ?? null);
};

const restore = (): void => {
  if (last === null || !hasNoFocus() || last.around[0]?.isConnected !== false) return;
  // The reader and the screens to sign in have rules of their own.
  if (last.path === location.pathname && document.querySelector('main.bare') === null)
    substituteFor(last)?.focus({ preventScroll: true });
  else last = null;
};

export const keepFocus = (): void => {
  document.addEventListener('focusin', ({ target }) => {
    if (target instanceof Element) last = placeOf(target);
  });
  // Not every browser focuses a button that is clicked; and whoever clicks beside everything has let go of it.
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
