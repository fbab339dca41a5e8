// The items of a list as rows that can be reordered: by dragging their handles with mouse or finger, or by the keyboard, where Space picks
// an item up and drops it. What happens is announced to those who do not see it.

import { type Signal, useSignal } from '@preact/signals';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import { b } from '../messages/browse-messages.js';
import { explain } from '../messages/explain.js';
import type { Explanation } from '../state/api-errors.js';
import { showToast } from '../state/toast.js';
import { ErrorMessage } from './error-message.js';
import { Icon } from './icon.js';
import { type Drag, dragged, placeAt } from './order-drag.js';
import { ShortTitle } from './short-title.js';

export interface OrderItem {
  readonly id: string;
  readonly title: string;
  readonly more: string;
}

interface Props {
  readonly items: readonly OrderItem[];
  readonly label: string;
  readonly isOrdered: boolean;
  /** Stores the new order, all of it. */
  readonly onOrder: (ids: string[]) => Promise<unknown>;
  readonly onRemove: (id: string) => Promise<unknown>;
  /** Adds a removed item again. `ids`: the whole order, with the item at its former place. */
  readonly onRestore: (id: string, ids: string[]) => Promise<unknown>;
  /** Called after each change that was stored. */
  readonly onStored: () => void;
}

export const moved = <T,>(items: readonly T[], from: number, to: number): readonly T[] => {
  const item = items[from];
  if (item === undefined) return items;
  const rest = items.filter((_, place) => place !== from);
  return [...rest.slice(0, to), item, ...rest.slice(to)];
};

/** The item that the keyboard holds, and the order to go back to. */
interface Held {
  readonly id: string;
  readonly before: readonly OrderItem[];
}

const STEPS: Readonly<Record<string, (place: number, last: number) => number>> = {
  ArrowUp: (place) => place - 1,
  ArrowDown: (place) => place + 1,
  PageUp: (place) => place - 10,
  PageDown: (place) => place + 10,
  Home: () => 0,
  End: (_, last) => last,
};

const useOrder = ({ items, onOrder, onRemove, onRestore, onStored }: Props) => {
  const rows = useSignal(items);
  const held = useSignal<Held | null>(null);
  const announcement = useSignal('');
  const error = useSignal<Explanation | null>(null);
  const stored = useRef(items);
  const queue = useRef<Promise<unknown>>(Promise.resolve());

  /** Changes are sent one at a time; one that fails is reverted. Returns whether it was stored. */
  const store = (next: readonly OrderItem[], send: () => Promise<unknown>): Promise<boolean> => {
    error.value = null;
    rows.value = next;
    const isStored = queue.current.then(async () => {
      try {
        await send();
        stored.current = next;
        onStored();
        return true;
      } catch (thrown) {
        rows.value = stored.current;
        error.value = explain(thrown);
        return false;
      }
    });
    queue.current = isStored;
    return isStored;
  };
  const drop = (next: readonly OrderItem[], id: string): void => {
    const place = next.findIndex((one) => one.id === id);
    announcement.value = b.order.dropped(next[place]?.title ?? '', place + 1);
    if (next.some((one, at) => one.id !== stored.current[at]?.id))
      void store(next, () => onOrder(next.map((one) => one.id)));
    else rows.value = next;
  };
  /** Drops the item held by keyboard where it is, so that no visible move is lost on blur. */
  const letGo = (): void => {
    const { value } = held;
    held.value = null;
    if (value !== null) drop(rows.value, value.id);
  };
  const restore = async (item: OrderItem, place: number): Promise<string> => {
    const next = [...rows.value.slice(0, place), item, ...rows.value.slice(place)];
    const send = () =>
      onRestore(
        item.id,
        next.map((one) => one.id),
      );
    return (await store(next, send)) ? b.order.restored(item.title) : (error.value?.text ?? '');
  };
  const remove = async (item: OrderItem): Promise<void> => {
    const place = rows.value.findIndex(({ id }) => id === item.id);
    const next = rows.value.filter(({ id }) => id !== item.id);
    if (await store(next, () => onRemove(item.id))) showToast(b.order.removed(item.title), () => restore(item, place));
  };
  useEffect(() => letGo, []);
  return { rows, held, announcement, error, drop, letGo, remove };
};

type Order = ReturnType<typeof useOrder>;

const keyOn =
  ({ rows, held, announcement, letGo }: Order, item: OrderItem) =>
  (event: KeyboardEvent): void => {
    const { value: now } = rows;
    const place = now.findIndex(({ id }) => id === item.id);
    const isHeld = held.value?.id === item.id;
    const step = STEPS[event.key];
    if (event.key === ' ' || event.key === 'Enter') {
      letGo();
      if (!isHeld) {
        held.value = { id: item.id, before: now };
        announcement.value = b.order.taken(item.title, place + 1, now.length);
      }
    } else if (isHeld && event.key === 'Escape') {
      rows.value = held.value?.before ?? now;
      held.value = null;
      announcement.value = b.order.putBack(item.title);
    } else if (isHeld && step !== undefined) {
      const to = Math.max(0, Math.min(now.length - 1, step(place, now.length - 1)));
      rows.value = moved(now, place, to);
      announcement.value = b.order.moved(item.title, to + 1, now.length);
    } else return;
    event.preventDefault();
    event.stopPropagation();
  };

/** Drops a held item when its handle loses focus. Moving it blurs the handle too, but only until the list is rendered. */
const blurOn =
  ({ held, letGo }: Order, { id }: OrderItem) =>
  ({ currentTarget }: FocusEvent): void => {
    queueMicrotask(() => {
      if (held.value?.id === id && document.activeElement !== currentTarget) letGo();
    });
  };

/** Moving an element takes the focus from it. */
const useHeldFocus = (
  list: { readonly current: HTMLOListElement | null },
  held: Signal<Held | null>,
  rows: unknown,
): void => {
  useLayoutEffect(() => {
    if (held.value === null) return;
    const handle = list.current?.querySelector<HTMLElement>(`[data-handle="${held.value.id}"]`);
    handle?.focus({ preventScroll: true });
    handle?.scrollIntoView({ block: 'nearest' });
  }, [held.value, rows, list]);
};

export const OrderList = (props: Props) => {
  const order = useOrder(props);
  const { rows, held, announcement, error, drop, remove } = order;
  const list = useRef<HTMLOListElement>(null);
  const drag = useSignal<Drag | null>(null);
  useHeldFocus(list, held, rows.value);
  useEffect(() => {
    const { current } = list;
    if (current === null) return;
    return dragged(current, {
      begin: (place, y) => {
        drag.value = { from: place, to: place, y };
      },
      move: (y) => {
        if (drag.value !== null) drag.value = { ...drag.value, to: placeAt(current, y), y };
      },
      end: (isKept) => {
        const { value } = drag;
        drag.value = null;
        const item = value === null ? undefined : rows.value[value.from];
        if (isKept && value !== null && item !== undefined) drop(moved(rows.value, value.from, value.to), item.id);
      },
    });
  }, [drag, rows, list]);
  const { value: now } = drag;
  const shown = now === null ? rows.value : moved(rows.value, now.from, now.to);
  const draggedId = now === null ? null : rows.value[now.from]?.id;
  return (
    <>
      {props.isOrdered && <p class="hint">{b.order.hint}</p>}
      <ErrorMessage of={error.value} />
      <p class="visually-hidden" role="status">
        {announcement.value}
      </p>
      <ol ref={list} class="order" aria-label={props.label}>
        {shown.map((item, place) => (
          <li key={item.id} class={item.id === draggedId || item.id === held.value?.id ? 'taken' : undefined}>
            {props.isOrdered && (
              <button
                type="button"
                class="button round grip"
                data-handle={item.id}
                aria-label={b.order.handle(item.title)}
                aria-pressed={held.value?.id === item.id}
                onKeyDown={keyOn(order, item)}
                onBlur={blurOn(order, item)}
              >
                <Icon name="grip" />
              </button>
            )}
            <span class="order-place" aria-hidden="true">
              {place + 1}
            </span>
            <span class="order-text">
              <span dir="auto">
                <ShortTitle title={item.title} series={item.more} />
              </span>
              <span class="dim" dir="auto">
                {item.more}
              </span>
            </span>
            <button
              type="button"
              class="button round"
              aria-label={b.order.remove(item.title)}
              onClick={() => void remove(item)}
            >
              <Icon name="close" />
            </button>
          </li>
        ))}
      </ol>
    </>
  );
};
