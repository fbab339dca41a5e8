// Dialogs and panels over a screen, in the order in which they were opened. Each has an entry in the browser's history, so that Back closes the
// topmost one instead of leaving the screen.

interface Layer {
  /** Closes it, unless it has to ask first: then it stays open. */
  readonly dismiss: () => void;
}

interface LayerState {
  /** How many layers are open at this entry. */
  readonly layer?: number;
}

const open: Layer[] = [];

const depthOf = (state: unknown): number => (state as LayerState | null)?.layer ?? 0;

/** How many entries of the history stand for layers. */
export const layersInHistory = (): number => depthOf(history.state);

/** True while entries are being removed: the browser does that later, and tells it like a press of Back. */
let isSettling = false;
let waiting: (() => void)[] = [];

const settle = (): void => {
  if (isSettling) return;
  const depth = layersInHistory();
  if (depth < open.length) history.replaceState({ ...history.state, scroll: scrollY }, '');
  for (let layer = depth + 1; layer <= open.length; layer += 1)
    history.pushState({ ...history.state, layer }, '', location.href);
  if (depth <= open.length) return;
  isSettling = true;
  history.go(open.length - depth);
};

/** Later, so that a dialog that takes the place of another takes its entry too. */
const settleSoon = (): void => {
  setTimeout(settle);
};

/** Returns what to call when it has closed. */
export const openLayer = (dismiss: () => void): (() => void) => {
  const layer: Layer = { dismiss };
  open.push(layer);
  settleSoon();
  return () => {
    const at = open.indexOf(layer);
    if (at >= 0) open.splice(at, 1);
    settleSoon();
  };
};

/** Runs once the history is as it should be: a new entry may not come between. */
export const onceSettled = (run: () => void): void => {
  if (isSettling) waiting.push(run);
  else run();
};

/** Goes back past the history entries of all layers, then calls `run`. */
export const leaveLayers = (run: () => void): void => {
  if (isSettling) {
    onceSettled(() => leaveLayers(run));
    return;
  }
  const depth = layersInHistory();
  if (depth === 0) {
    run();
    return;
  }
  isSettling = true;
  waiting.push(run);
  history.go(-depth);
};

/** Called once, at the start: dialogs do not survive a reload. */
export const forgetLayers = (): void => {
  if (layersInHistory() > 0) history.replaceState({ ...history.state, layer: 0 }, '');
};

/** Called when another entry became the current one. True if that was about layers alone. */
export const layersFollow = (isSameAddress: boolean): boolean => {
  if (isSettling) {
    isSettling = false;
    const runs = waiting;
    waiting = [];
    for (const run of runs) run();
    settleSoon();
    return true;
  }
  const depth = layersInHistory();
  if (depth >= open.length) return false;
  for (const { dismiss } of open.slice(depth).reverse()) dismiss();
  settleSoon();
  return isSameAddress;
};
