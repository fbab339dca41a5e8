// Arrow keys move among the links of a list, or among its checkboxes while one selects, by where they are on the screen.

const DIRECTIONS: Readonly<Record<string, readonly [x: number, y: number]>> = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
};

interface Point {
  readonly x: number;
  readonly y: number;
}

const middleOf = (element: Element): Point => {
  const { left, top, width, height } = element.getBoundingClientRect();
  return { x: left + width / 2, y: top + height / 2 };
};

/** Lower is better. Distance to the side of the direction counts three times; what is not ahead is never chosen. */
const costOf = (from: Point, to: Point, [x, y]: readonly [number, number]): number => {
  const ahead = (to.x - from.x) * x + (to.y - from.y) * y;
  const beside = Math.abs((to.x - from.x) * y) + Math.abs((to.y - from.y) * x);
  return ahead < 4 || beside > ahead * 2 ? Number.POSITIVE_INFINITY : ahead + beside * 3;
};

export const moveByArrows = (event: KeyboardEvent): void => {
  const direction = DIRECTIONS[event.key];
  const { currentTarget } = event;
  // Not the target: a card that is selected by this very key has handed its focus to its checkbox.
  const target = document.activeElement;
  if (direction === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
  if (!(currentTarget instanceof Element)) return;
  if (!(target instanceof HTMLAnchorElement || target instanceof HTMLInputElement)) return;
  if (!currentTarget.contains(target)) return;
  const from = middleOf(target);
  const [best] = [...currentTarget.querySelectorAll<HTMLElement>(target.localName)]
    .map((one) => ({ one, cost: costOf(from, middleOf(one), direction) }))
    .filter(({ cost }) => Number.isFinite(cost))
    .sort((a, b) => a.cost - b.cost);
  if (best === undefined) return;
  event.preventDefault();
  best.one.focus();
};
