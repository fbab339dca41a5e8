// Dragging a row by its handle, with mouse, pen or finger; near the edge of the window the page scrolls along.

export interface Drag {
  readonly from: number;
  readonly to: number;
  readonly y: number;
}

interface Hearing {
  readonly begin: (place: number, y: number) => void;
  readonly move: (y: number) => void;
  /** `isKept`: the row was dropped, and the drag not cancelled. */
  readonly end: (isKept: boolean) => void;
}

const EDGE_PX = 72;
const STEP_PX = 12;

/** Rows have one height, so the place follows from the distance to the first. */
export const placeAt = (list: Element, y: number): number => {
  const [first] = list.children;
  const count = list.children.length;
  if (first === undefined) return 0;
  const { top, height } = list.getBoundingClientRect();
  return Math.max(0, Math.min(count - 1, Math.floor(((y - top) / height) * count)));
};

const handleOf = (event: PointerEvent): HTMLElement | null =>
  event.target instanceof Element ? event.target.closest<HTMLElement>('[data-handle]') : null;

export const dragged = (list: HTMLElement, { begin, move, end }: Hearing): (() => void) => {
  let pointer: number | null = null;
  let y = 0;
  let frame = 0;
  const scroll = (): void => {
    const by = y < EDGE_PX ? -STEP_PX : y > innerHeight - EDGE_PX ? STEP_PX : 0;
    if (by !== 0) {
      scrollBy(0, by);
      move(y);
    }
    frame = requestAnimationFrame(scroll);
  };
  const stop = (isKept: boolean): void => {
    if (pointer === null) return;
    pointer = null;
    cancelAnimationFrame(frame);
    end(isKept);
  };
  const down = (event: PointerEvent): void => {
    const row = handleOf(event)?.closest('li');
    if (pointer !== null || event.button !== 0 || row === null || row === undefined) return;
    pointer = event.pointerId;
    list.setPointerCapture(event.pointerId);
    y = event.clientY;
    begin([...list.children].indexOf(row), y);
    frame = requestAnimationFrame(scroll);
  };
  const go = (event: PointerEvent): void => {
    if (event.pointerId !== pointer) return;
    y = event.clientY;
    move(y);
  };
  const up = (event: PointerEvent): void => {
    if (event.pointerId === pointer) stop(true);
  };
  const cancel = (event: PointerEvent): void => {
    if (event.pointerId === pointer) stop(false);
  };
  const key = (event: KeyboardEvent): void => {
    if (event.key === 'Escape') stop(false);
  };
  list.addEventListener('pointerdown', down);
  list.addEventListener('pointermove', go);
  list.addEventListener('pointerup', up);
  list.addEventListener('pointercancel', cancel);
  addEventListener('keydown', key);
  return () => {
    cancelAnimationFrame(frame);
    list.removeEventListener('pointerdown', down);
    list.removeEventListener('pointermove', go);
    list.removeEventListener('pointerup', up);
    list.removeEventListener('pointercancel', cancel);
    removeEventListener('keydown', key);
  };
};
