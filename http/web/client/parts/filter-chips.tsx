// The filter of a wall: the button that opens its panel, and its parts as chips, each with a way to take it off.
import { useSignal } from '@preact/signals';
import { b } from '../messages/browse-messages.js';
import type { Library } from '../state/api.js';
import { filterIn, type Group, NO_FILTER, textOf, type WallOf, withoutPart } from '../state/filters.js';
import { chooseInQuery } from '../state/router.js';
import { FilterPanel } from './filter-panel.js';
import { partText } from './filter-words.js';
import { Icon } from './icon.js';

const FILTER = 'filter';

const apply = (text: string): void => chooseInQuery({ [FILTER]: text });

interface Props {
  readonly of: WallOf;
  readonly filter: Group;
  readonly libraries: readonly Library[];
}

export const FilterButton = ({ of, filter, libraries }: Props) => {
  const isOpen = useSignal(false);
  return (
    <>
      <button
        type="button"
        class="button"
        onClick={() => {
          isOpen.value = true;
        }}
      >
        <Icon name="settings" />
        {b.filter.open}
      </button>
      {isOpen.value && (
        <FilterPanel
          of={of}
          filter={filter}
          libraries={libraries}
          onApply={(text) => {
            isOpen.value = false;
            apply(text);
          }}
          onClose={() => {
            isOpen.value = false;
          }}
        />
      )}
    </>
  );
};

export const FilterChips = ({ filter, libraries }: Omit<Props, 'of'>) => {
  const { parts, match } = filter;
  if (parts.length === 0) return null;
  return (
    <ul class="chips applied" aria-label={b.filter.applied}>
      {(parts.length > 1 || match === 'none') && <li class="match">{b.filter.matches[match]}</li>}
      {parts.map((part, place) => {
        const text = partText(part, libraries);
        return (
          <li key={text} class="chip">
            {text}
            <button
              type="button"
              class="chip-button"
              aria-label={b.filter.takeOff(text)}
              onClick={() => apply(textOf(withoutPart(filter, place)))}
            >
              <Icon name="close" />
            </button>
          </li>
        );
      })}
      <li>
        <button type="button" class="link-button" onClick={() => apply('')}>
          {b.filter.clear}
        </button>
      </li>
    </ul>
  );
};

/** The filter in the address of the page. */
export const filterOf = (of: WallOf, values: URLSearchParams): Group =>
  values.has(FILTER) ? filterIn(of, values.get(FILTER)) : NO_FILTER;
