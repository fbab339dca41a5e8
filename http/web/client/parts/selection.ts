// The selection on a wall of books or series: what is selected, and how items are added and removed.
import { type Signal, useSignal } from '@preact/signals';
import { useEffect, useLayoutEffect, useMemo, useRef } from 'preact/hooks';
import { openLayer } from '../state/layers.js';

export interface Selectable {
  readonly id: string;
}

/** What cards need of it, whatever is selected. */
export interface CardSelection {
  /** Whether one is selecting: clicks then select instead of opening. */
  readonly isOn: Signal<boolean>;
  readonly chosen: Signal<ReadonlyMap<string, Selectable>>;
  /** Selects or deselects an item; `isRange`: everything from the previously chosen item to this one. */
  readonly toggle: (place: number, isRange: boolean) => void;
  /** Selects, and whatever was selected stays. */
  readonly choose: (places: readonly number[]) => void;
}

export interface Selection<T extends Selectable> extends CardSelection {
  readonly chosen: Signal<ReadonlyMap<string, T>>;
  readonly begin: () => void;
  /** Selects them, loaded or not, up to the maximum. */
  readonly add: (items: readonly T[]) => void;
  /** Keeps only these selected: the items for which an action failed. */
  readonly keep: (ids: ReadonlySet<string>) => void;
  readonly end: () => void;
}

/** As many as one request of the API takes. */
export const CHOSEN_MAX = 1000;

/** `at`: what stands at a place, if it is loaded. */
export const useSelection = <T extends Selectable>(
  at: (place: number) => T | null | undefined,
  /** What the wall depends on: on another wall nothing is selected. */
  key: string,
): Selection<T> => {
  const isOn = useSignal(false);
  const chosen = useSignal<ReadonlyMap<string, T>>(new Map());
  const last = useRef<number | null>(null);
  const latest = useRef(at);
  latest.current = at;
  const selection = useMemo(() => {
    const add = (items: readonly T[]): void => {
      const next = new Map(chosen.value);
      for (const item of items) if (next.size < CHOSEN_MAX) next.set(item.id, item);
      isOn.value = true;
      chosen.value = next;
    };
    const choose = (places: readonly number[]): void => {
      add(places.map((place) => latest.current(place)).filter((item) => item !== undefined && item !== null));
      last.current = places.at(-1) ?? last.current;
    };
    const toggle = (place: number, isRange: boolean): void => {
      const item = latest.current(place);
      if (item === undefined || item === null) return;
      const from = last.current;
      if (isRange && from !== null) {
        const first = Math.min(from, place);
        choose(Array.from({ length: Math.abs(from - place) + 1 }, (_, index) => first + index));
        last.current = place;
      } else if (chosen.value.has(item.id)) {
        chosen.value = new Map([...chosen.value].filter(([id]) => id !== item.id));
        last.current = place;
      } else choose([place]);
    };
    const end = (): void => {
      isOn.value = false;
      chosen.value = new Map();
      last.current = null;
    };
    const begin = (): void => {
      isOn.value = true;
    };
    const keep = (ids: ReadonlySet<string>): void => {
      chosen.value = new Map([...chosen.value].filter(([id]) => ids.has(id)));
    };
    return { isOn, chosen, begin, add, toggle, choose, keep, end };
  }, [isOn, chosen]);
  useEffect(() => selection.end, [selection, key]);
  // Back ends selecting before it leaves the screen.
  const { value: isSelecting } = isOn;
  useLayoutEffect(() => (isSelecting ? openLayer(selection.end) : undefined), [isSelecting, selection]);
  return selection;
};
