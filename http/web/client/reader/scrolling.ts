// Scrolling that other code asks for, and that of a person, told apart; and how smoothly either may be.
import type { Reading } from './reading.js';

const isCalm = (): boolean => matchMedia('(prefers-reduced-motion: reduce)').matches;

/** Nothing moves on electronic paper, nor for those who do not want it to. */
export const behaviorOf = ({ stored }: Reading): ScrollBehavior => {
  const { animate, ink } = stored.all.value;
  return animate && !ink && !isCalm() ? 'smooth' : 'instant';
};

export interface Axis {
  /** From where reading begins. */
  read(element: Element): number;
  options(position: number, behavior: ScrollBehavior): ScrollToOptions;
}

export const DOWN: Axis = {
  read: ({ scrollTop }) => scrollTop,
  options: (top, behavior) => ({ top, behavior }),
};

/** In an element that goes from right to left, positions to the left are negative. */
export const acrossAxis = (isRtl: boolean): Axis => ({
  read: ({ scrollLeft }) => (isRtl ? -scrollLeft : scrollLeft),
  options: (position, behavior) => ({ left: isRtl ? -position : position, behavior }),
});
