// The button that starts a selection, followed in tab order by the actions for the selected items: a bar at the lower edge of the window.

import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { b } from '../messages/browse-messages.js';
import { explain } from '../messages/explain.js';
import { t } from '../messages/messages.js';
import type { Explanation } from '../state/api-errors.js';
import { hasLastPage } from '../state/books.js';
import { addWanted, markRead, markUnread, type Work } from '../state/bulk.js';
import { isBook } from '../state/lists.js';
import { type ListKind, type Member, WRITES } from '../state/named-lists.js';
import { may } from '../state/session.js';
import { showToast } from '../state/toast.js';
import { AddToList } from './add-to-list.js';
import { ErrorMessage } from './error-message.js';
import { Icon, type IconName } from './icon.js';
import { CHOSEN_MAX, type Selection } from './selection.js';

export interface Action {
  readonly icon: IconName;
  readonly text: string;
  /** What is said when it is done. */
  readonly done: (count: number) => string;
  readonly work: Work;
}

interface Props {
  readonly selection: Selection<Member>;
  /** The additional action of a list's wall: removing the items from the list. */
  readonly extra?: Action;
  /** How many can be selected, where that is known. */
  readonly all?: number | undefined;
  /** Loads them, up to as many as can be selected; given where some may not be loaded yet. */
  readonly loadAll?: (signal: AbortSignal) => Promise<readonly Member[]>;
  readonly onDone: () => void;
}

const ACTIONS = (): readonly Action[] => [
  ...(may('ProgressWrite')
    ? [
        { icon: 'check', text: t.book.markRead, done: b.select.read, work: markRead } as const,
        { icon: 'undo', text: t.book.markUnread, done: b.select.unread, work: markUnread } as const,
      ]
    : []),
  { icon: 'mark', text: t.home.wanted, done: b.select.wanted, work: addWanted },
];

/** Where all that is selected can be added to. */
const kindFor = (items: readonly Member[]): ListKind | null => {
  if (items.length === 0) return null;
  if (items.every(isBook)) return 'readList';
  return items.some(isBook) ? null : 'collection';
};

const useWork = ({ selection, onDone }: Props) => {
  const progress = useSignal<{ readonly done: number; readonly all: number } | null>(null);
  const isBusy = useSignal(false);
  const error = useSignal<Explanation | null>(null);
  const run = async ({ work, done }: Action): Promise<void> => {
    const items = [...selection.chosen.value.values()];
    const { failed, thrown, undo } = await work(items, (count, all) => {
      progress.value = { done: count, all };
    });
    onDone();
    if (failed.size === 0) {
      showToast(
        done(items.length),
        undo &&
          (async () => {
            await undo();
            onDone();
            return b.select.restored(items.length);
          }),
      );
      selection.end();
    } else {
      selection.keep(failed);
      const why = explain(thrown);
      error.value = { ...why, text: b.select.failed(failed.size, items.length, why.text) };
    }
  };
  const fail = (thrown: unknown): void => {
    error.value = explain(thrown);
  };
  const start = (action: Action): void => {
    if (isBusy.value || selection.chosen.value.size === 0) return;
    isBusy.value = true;
    error.value = null;
    run(action)
      .catch(fail)
      .finally(() => {
        isBusy.value = false;
        progress.value = null;
      });
  };
  return { progress, isBusy, error, start, fail };
};

const useEscape = (end: () => void): void => {
  useEffect(() => {
    const key = (event: KeyboardEvent): void => {
      if (event.key === 'Escape' && document.querySelector('dialog[open]') === null) end();
    };
    addEventListener('keydown', key);
    return () => removeEventListener('keydown', key);
  }, [end]);
};

interface AllProps extends Pick<Props, 'selection' | 'all' | 'loadAll'> {
  readonly onError: (thrown: unknown) => void;
}

const AllButton = ({ selection, all = 0, loadAll, onError }: AllProps) => {
  const loading = useRef<AbortController | null>(null);
  useEffect(() => () => loading.current?.abort(), []);
  const most = Math.min(all, CHOSEN_MAX);
  if (selection.chosen.value.size >= most) return null;
  const load = async (ask: NonNullable<Props['loadAll']>): Promise<void> => {
    const control = new AbortController();
    loading.current?.abort();
    loading.current = control;
    try {
      const items = await ask(control.signal);
      if (!control.signal.aborted) selection.add(items);
    } catch (thrown) {
      if (!control.signal.aborted) onError(thrown);
    }
  };
  return (
    <button
      type="button"
      class="button"
      onClick={() => {
        if (loadAll === undefined) selection.choose(Array.from({ length: most }, (_, place) => place));
        else void load(loadAll);
      }}
    >
      {most < all ? b.select.first(most) : b.select.all}
    </button>
  );
};

/** Why nothing would happen to what is selected. */
const reasonAgainst = ({ work }: Action, items: readonly Member[]): string | undefined =>
  work === markRead && items.length > 0 && !items.some((item) => !isBook(item) || hasLastPage(item))
    ? b.select.unreadable
    : undefined;

const Bar = (props: Props) => {
  const { selection, extra, onDone } = props;
  const { progress, isBusy, error, start, fail } = useWork(props);
  const isAdding = useSignal(false);
  useEscape(selection.end);
  const items = [...selection.chosen.value.values()];
  const kind = kindFor(items);
  const isIdle = items.length === 0 || isBusy.value;
  const actions = [...ACTIONS(), ...(extra === undefined ? [] : [extra])];
  return (
    <div class="action-bar" role="toolbar" aria-label={b.select.bar}>
      <p class="action-count" role="status">
        {progress.value === null
          ? b.select.count(items.length)
          : b.select.progress(progress.value.done, progress.value.all)}
      </p>
      <ErrorMessage of={error.value} />
      <div class="actions">
        <AllButton {...props} onError={fail} />
        {actions.map((action) => {
          const reason = reasonAgainst(action, items);
          return (
            <button
              key={action.text}
              type="button"
              class="button"
              disabled={isIdle || reason !== undefined}
              title={reason}
              onClick={() => start(action)}
            >
              <Icon name={action.icon} />
              {action.text}
            </button>
          );
        })}
        {kind !== null && may(WRITES[kind]) && (
          <button
            type="button"
            class="button"
            disabled={isIdle}
            onClick={() => {
              isAdding.value = true;
            }}
          >
            <Icon name="plus" />
            {b.kinds[kind].addTo}
          </button>
        )}
      </div>
      <button type="button" class="button round" aria-label={b.select.end} onClick={selection.end}>
        <Icon name="close" />
      </button>
      {isAdding.value && kind !== null && (
        <AddToList
          kind={kind}
          ids={items.map(({ id }) => id)}
          onClose={() => {
            isAdding.value = false;
            onDone();
          }}
        />
      )}
    </div>
  );
};

/** The button is for those who do not know the shortcuts. It stays during the selection, so that focus can return to it. */
export const SelectionControls = (props: Props) => {
  const { isOn, begin, end } = props.selection;
  return (
    <div class="selection-controls">
      <button
        type="button"
        class="button"
        aria-pressed={isOn.value}
        disabled={props.all === 0 && !isOn.value}
        onClick={isOn.value ? end : begin}
      >
        <Icon name="check" />
        {b.select.begin}
      </button>
      {isOn.value && <Bar {...props} />}
    </div>
  );
};
