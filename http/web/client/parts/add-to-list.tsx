// Adds series to a collection, or books to a read list: one that is there, or one that is created by typing a name. For a single one, the
// lists that have it are marked, and it can be taken out again.

import { useSignal } from '@preact/signals';
import { useEffect, useId } from 'preact/hooks';
import { b } from '../messages/browse-messages.js';
import { explain } from '../messages/explain.js';
import type { Explanation } from '../state/api-errors.js';
import { eachOf } from '../state/bulk.js';
import { allNamedLists, type ListKind, type NamedList, rowsOf } from '../state/named-lists.js';
import { Dialog } from './dialog.js';
import { ErrorMessage } from './error-message.js';
import { Loaded, useFetched } from './fetched.js';
import { Field } from './field.js';
import { Icon } from './icon.js';
import { explainName } from './list-form.js';

interface Props {
  readonly kind: ListKind;
  readonly ids: readonly string[];
  readonly onClose: () => void;
}

interface Choice {
  readonly lists: readonly NamedList[];
  /** The ids of the lists that already contain the single item to add. */
  readonly containing: ReadonlySet<string>;
}

const folded = (text: string): string => text.trim().toLowerCase();

const choiceOf = async (kind: ListKind, ids: readonly string[], signal: AbortSignal): Promise<Choice> => {
  const [only] = ids;
  const [all, containing] = await Promise.all([
    allNamedLists(kind, { signal }),
    only === undefined || ids.length > 1 ? [] : rowsOf(kind).containing(only, { signal }),
  ]);
  return { lists: all.filter(({ isAutomatic }) => !isAutomatic), containing: new Set(containing.map(({ id }) => id)) };
};

const useAdding = ({ kind, ids }: Props, first: Choice) => {
  const lists = useSignal(first.lists);
  const containing = useSignal(first.containing);
  const isBusy = useSignal(false);
  const error = useSignal<Explanation | null>(null);
  const announcement = useSignal('');
  const rows = rowsOf(kind);
  const run = (
    work: () => Promise<unknown>,
    explained: (thrown: unknown) => Explanation = (one) => explain(one),
  ): void => {
    if (isBusy.value) return;
    isBusy.value = true;
    error.value = null;
    announcement.value = '';
    work()
      .catch((thrown: unknown) => {
        error.value = explained(thrown);
      })
      .finally(() => {
        isBusy.value = false;
      });
  };
  /** Fetches a list again for its item count. */
  const refresh = async (id: string): Promise<void> => {
    const fetched = await rows.get(id);
    lists.value = lists.value.map((one) => (one.id === id ? fetched : one));
  };
  const add = async ({ id, name }: NamedList): Promise<void> => {
    await rows.add(id, [...ids]);
    containing.value = new Set(containing.value).add(id);
    announcement.value = b.list.added(name);
    await refresh(id);
  };
  const drop = async ({ id, name }: NamedList): Promise<void> => {
    const items = ids.map((one) => ({ id: one }));
    const { failed, thrown } = await eachOf(
      items,
      (one) => rows.drop(id, one.id),
      () => undefined,
    );
    if (failed.size > 0) throw thrown;
    containing.value = new Set([...containing.value].filter((one) => one !== id));
    announcement.value = b.list.removed(name);
    await refresh(id);
  };
  const toggle = (list: NamedList): void => run(() => (containing.value.has(list.id) ? drop(list) : add(list)));
  const make = (name: string, onCreated: () => void): void =>
    run(async () => {
      const list = await rows.create({ name, summary: null, ordered: true });
      lists.value = [list, ...lists.value];
      onCreated();
      await add(list);
    }, explainName);
  return { lists, containing, isBusy, error, announcement, toggle, make };
};

interface ListsProps extends Props {
  readonly first: Choice;
  /** Called with whether the typed name is that of a new list. */
  readonly onNew: (isNew: boolean) => void;
}

const Lists = (props: ListsProps) => {
  const { lists, containing, isBusy, error, announcement, toggle, make } = useAdding(props, props.first);
  const typed = useSignal('');
  const listId = useId();
  const words = b.kinds[props.kind];
  const text = folded(typed.value);
  const shown = lists.value.filter(({ name }) => folded(name).includes(text));
  const isNew = text !== '' && !lists.value.some(({ name }) => folded(name) === text);
  useEffect(() => props.onNew(isNew), [isNew]);
  return (
    <form
      class="form"
      onSubmit={(event) => {
        event.preventDefault();
        if (!isNew) return;
        make(typed.value.trim(), () => {
          typed.value = '';
        });
      }}
    >
      <Field
        label={b.list.searchOrCreate}
        value={typed.value}
        name="name"
        maxLength={255}
        autocomplete="off"
        autofocus
        onInput={(event) => {
          if (event.target instanceof HTMLInputElement) typed.value = event.target.value;
        }}
      />
      {isNew && (
        <button type="submit" class="create-row" disabled={isBusy.value}>
          <Icon name="plus" />
          <span>{b.list.createNamed(typed.value.trim())}</span>
          <span class="enter" aria-hidden="true">
            ↵
          </span>
        </button>
      )}
      {lists.value.length === 0 && <p class="dim">{b.list.noLists}</p>}
      {shown.length > 0 && (
        <ul class="check-list" id={listId} aria-label={words.many}>
          {shown.map((list) => (
            <li key={list.id}>
              <label class="check-row">
                <input type="checkbox" checked={containing.value.has(list.id)} onChange={() => toggle(list)} />
                <span>{list.name}</span>
                <span class="dim">{words.count(list.count)}</span>
              </label>
            </li>
          ))}
        </ul>
      )}
      <ErrorMessage of={error.value} />
      <p class="done-message" role="status">
        {announcement.value !== '' && <Icon name="check" />}
        {announcement.value}
      </p>
    </form>
  );
};

export const AddToList = (props: Props) => {
  const { kind, ids, onClose } = props;
  const choice = useFetched((signal) => choiceOf(kind, ids, signal), []);
  const isNew = useSignal(false);
  return (
    <Dialog title={b.kinds[kind].addTo} onClose={onClose} isChanged={() => isNew.value}>
      {(dismiss) => (
        <>
          <Loaded of={choice}>
            {(first) => (
              <Lists
                {...props}
                first={first}
                onNew={(value) => {
                  isNew.value = value;
                }}
              />
            )}
          </Loaded>
          <button type="button" class={isNew.value ? 'button' : 'button primary'} onClick={dismiss}>
            {b.dialog.done}
          </button>
        </>
      )}
    </Dialog>
  );
};
