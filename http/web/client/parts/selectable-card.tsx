// A card that can be selected: by its checkbox with the mouse, by a long press with a finger, by Space or Shift with the arrow keys. While
// selecting, the checkbox covers the whole card, so that the link below it cannot be followed.
import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { b } from '../messages/browse-messages.js';
import type { CardSelection } from './selection.js';

interface Props {
  readonly selection: CardSelection;
  readonly id: string;
  readonly place: number;
  readonly title: string;
  readonly children: ComponentChildren;
}

const LONG_MS = 500;
const STILL_PX = 10;
const ARROWS: ReadonlySet<string> = new Set(['ArrowLeft', 'ArrowRight', 'ArrowUp', 'ArrowDown']);

/** The place of the card that is being left with Shift and an arrow key: the one that gets the focus is selected too. */
let leaving: number | null = null;

interface Press {
  readonly x: number;
  readonly y: number;
  readonly timer: number;
}

/** What a finger does: a long press selects, and the click that ends it opens nothing. */
const useLongPress = (onLong: () => void) => {
  const press = useRef<Press | null>(null);
  const isSpent = useRef(false);
  const release = (): void => {
    if (press.current !== null) clearTimeout(press.current.timer);
    press.current = null;
  };
  return {
    onPointerDown: ({ pointerType, clientX, clientY }: PointerEvent): void => {
      isSpent.current = false;
      if (pointerType !== 'touch') return;
      const timer = setTimeout(() => {
        isSpent.current = true;
        onLong();
      }, LONG_MS);
      press.current = { x: clientX, y: clientY, timer };
    },
    onPointerMove: ({ clientX, clientY }: PointerEvent): void => {
      const { current } = press;
      if (current !== null && Math.hypot(clientX - current.x, clientY - current.y) > STILL_PX) release();
    },
    onPointerUp: release,
    onPointerCancel: release,
    onContextMenu: (event: MouseEvent): void => {
      if (press.current !== null || isSpent.current) event.preventDefault();
    },
    onClickCapture: (event: MouseEvent): void => {
      if (!isSpent.current) return;
      isSpent.current = false;
      event.preventDefault();
      event.stopPropagation();
    },
  };
};

export const SelectableCard = ({ selection, id, place, title, children }: Props) => {
  const root = useRef<HTMLDivElement>(null);
  const box = useRef<HTMLInputElement>(null);
  const isOn = selection.isOn.value;
  const isChosen = selection.chosen.value.has(id);
  const finger = useLongPress(() => selection.choose([place]));
  // What had the focus is covered now, or uncovered.
  useLayoutEffect(() => {
    if (!root.current?.contains(document.activeElement)) return;
    if (isOn) box.current?.focus();
    else root.current.querySelector('a')?.focus();
  }, [isOn]);
  const keys = {
    onKeyDown: (event: KeyboardEvent): void => {
      if (event.shiftKey && ARROWS.has(event.key)) {
        selection.choose([place]);
        leaving = place;
      } else if (event.key === ' ' && event.target instanceof HTMLAnchorElement) {
        event.preventDefault();
        selection.toggle(place, event.shiftKey);
      }
    },
    onFocusCapture: (): void => {
      if (leaving === null || leaving === place) return;
      leaving = null;
      selection.choose([place]);
    },
    onKeyUp: (): void => {
      leaving = null;
    },
  };
  return (
    <div ref={root} class={`selectable${isOn ? ' on' : ''}${isChosen ? ' chosen' : ''}`} {...finger} {...keys}>
      <div inert={isOn}>{children}</div>
      <label class="select-box">
        <input
          ref={box}
          type="checkbox"
          checked={isChosen}
          tabIndex={isOn ? 0 : -1}
          aria-label={b.select.item(title)}
          onClick={(event) => selection.toggle(place, event.shiftKey)}
        />
      </label>
    </div>
  );
};
