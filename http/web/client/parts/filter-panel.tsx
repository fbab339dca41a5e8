// The filter of a wall as a tree that is put together: conditions, and groups of them of which all, any or none have to hold.

import { useSignal } from '@preact/signals';
import { useId, useRef } from 'preact/hooks';
import { b } from '../messages/browse-messages.js';
import { explain } from '../messages/explain.js';
import type { Library } from '../state/api.js';
import type { Explanation } from '../state/api-errors.js';
import {
  clauseOf,
  fieldsOf,
  type Group,
  isGroup,
  MATCHES,
  NO_FILTER,
  textOf,
  type WallOf,
  withoutPart,
  withPart,
} from '../state/filters.js';
import { SAVED_MAX, type SavedFilter, savedFilters, storeFilters } from '../state/saved-filters.js';
import { Choice } from './choice.js';
import { ClauseRow } from './clause-row.js';
import { Dialog } from './dialog.js';
import { ErrorMessage } from './error-message.js';
import { Loaded, useFetched } from './fetched.js';
import { Field } from './field.js';
import { Icon } from './icon.js';

interface Props {
  readonly of: WallOf;
  readonly filter: Group;
  readonly libraries: readonly Library[];
  /** The filter as it stands in the address. */
  readonly onApply: (text: string) => void;
  readonly onClose: () => void;
}

interface GroupProps {
  readonly of: WallOf;
  readonly group: Group;
  readonly libraries: readonly Library[];
  readonly level: number;
  readonly onChange: (group: Group) => void;
  readonly onRemove?: () => void;
}

const LEVELS_MAX = 3;

const GroupEditor = ({ of, group, libraries, level, onChange, onRemove }: GroupProps) => {
  const [first = 'libraryId'] = fieldsOf(of);
  const add = (part: Group['parts'][number]): void => onChange({ ...group, parts: [...group.parts, part] });
  return (
    <fieldset class="group">
      <legend class="visually-hidden">{b.filter.group}</legend>
      <div class="group-head">
        <Choice
          label={b.filter.match}
          value={group.match}
          options={MATCHES.map((one) => [one, b.filter.matches[one]] as const)}
          onChoose={(match) => onChange({ ...group, match })}
        />
        {onRemove !== undefined && (
          <button type="button" class="button round" aria-label={b.filter.removeGroup} onClick={onRemove}>
            <Icon name="close" />
          </button>
        )}
      </div>
      <ul class="clauses">
        {group.parts.map((part, place) => {
          const remove = (): void => onChange(withoutPart(group, place));
          if (!isGroup(part))
            return (
              <ClauseRow
                key={place}
                of={of}
                clause={part}
                libraries={libraries}
                onChange={(next) => onChange(withPart(group, place, next))}
                onRemove={remove}
              />
            );
          return (
            <li key={place}>
              <GroupEditor
                of={of}
                group={part}
                libraries={libraries}
                level={level + 1}
                onChange={(next) => onChange(withPart(group, place, next))}
                onRemove={remove}
              />
            </li>
          );
        })}
      </ul>
      <div class="buttons">
        <button type="button" class="button" onClick={() => add(clauseOf(first))}>
          <Icon name="plus" />
          {b.filter.addClause}
        </button>
        {level < LEVELS_MAX && (
          <button
            type="button"
            class="button"
            onClick={() => add({ match: group.match === 'all' ? 'any' : 'all', parts: [clauseOf(first)] })}
          >
            <Icon name="plus" />
            {b.filter.addGroup}
          </button>
        )}
      </div>
    </fieldset>
  );
};

interface SavedProps {
  readonly of: WallOf;
  readonly first: readonly SavedFilter[];
  /** What would be saved now; '' where there is nothing to save. */
  readonly filter: string;
  readonly onChoose: (filter: string) => void;
}

const Saved = ({ of, first, filter, onChoose }: SavedProps) => {
  const all = useSignal(first);
  const name = useSignal('');
  const id = useId();
  const error = useSignal<Explanation | null>(null);
  const removed = useSignal<{ readonly name: string; readonly before: readonly SavedFilter[] } | null>(null);
  const store = (next: readonly SavedFilter[], gone: typeof removed.value = null): void => {
    error.value = null;
    storeFilters(next).then(
      () => {
        all.value = next;
        name.value = '';
        removed.value = gone;
      },
      (thrown: unknown) => {
        error.value = explain(thrown);
      },
    );
  };
  const others = (given: string): readonly SavedFilter[] =>
    all.value.filter((one) => one.of !== of || one.name.toLowerCase() !== given.toLowerCase());
  const here = all.value.filter((one) => one.of === of);
  const title = name.value.trim();
  if (here.length === 0 && filter === '' && removed.value === null) return null;
  return (
    <section class="saved" aria-labelledby={id}>
      <h3 id={id}>{b.filter.saved}</h3>
      {here.length > 0 && (
        <ul class="chips" aria-labelledby={id}>
          {here.map((one) => (
            <li key={one.name} class="chip">
              <button type="button" class="chip-button" onClick={() => onChoose(one.filter)}>
                {one.name}
              </button>
              <button
                type="button"
                class="chip-button"
                aria-label={b.filter.forget(one.name)}
                onClick={() => store(others(one.name), { name: one.name, before: all.value })}
              >
                <Icon name="close" />
              </button>
            </li>
          ))}
        </ul>
      )}
      <p role="status">
        {removed.value !== null && b.filter.forgotten(removed.value.name)}{' '}
        {removed.value !== null && (
          <button type="button" class="link-button" onClick={() => store(removed.value?.before ?? all.value)}>
            {b.filter.undo}
          </button>
        )}
      </p>
      {filter !== '' && all.value.length < SAVED_MAX && (
        <form
          class="type-path"
          onSubmit={(event) => {
            event.preventDefault();
            if (title !== '') store([...others(title), { name: title, of, filter }]);
          }}
        >
          <Field
            label={b.filter.saveAs}
            name="name"
            maxLength={60}
            autocomplete="off"
            value={name.value}
            onInput={(event) => {
              if (event.target instanceof HTMLInputElement) name.value = event.target.value;
            }}
          />
          <button type="submit" class="button" disabled={title === ''}>
            {b.dialog.save}
          </button>
        </form>
      )}
      <ErrorMessage of={error.value} />
    </section>
  );
};

export const FilterPanel = ({ of, filter, libraries, onApply, onClose }: Props) => {
  const [first = 'libraryId'] = fieldsOf(of);
  const group = useSignal(filter.parts.length === 0 ? { ...NO_FILTER, parts: [clauseOf(first)] } : filter);
  const opened = useRef(group.value);
  const saved = useFetched((signal) => savedFilters({ signal }), []);
  return (
    <Dialog title={b.filter.title} onClose={onClose} isChanged={() => group.value !== opened.current} isWide>
      <GroupEditor
        of={of}
        group={group.value}
        libraries={libraries}
        level={1}
        onChange={(next) => {
          group.value = next;
        }}
      />
      <Loaded of={saved}>
        {(found) => <Saved of={of} first={found} filter={textOf(group.value)} onChoose={onApply} />}
      </Loaded>
      <div class="buttons">
        <button type="button" class="button primary" onClick={() => onApply(textOf(group.value))}>
          {b.filter.apply}
        </button>
        <button type="button" class="button" onClick={() => onApply('')}>
          {b.filter.clear}
        </button>
      </div>
    </Dialog>
  );
};
