// The want-to-read list, in the user's own order or by date.
import { useSignal } from '@preact/signals';
import { useRef } from 'preact/hooks';
import { b } from '../messages/browse-messages.js';
import { t } from '../messages/messages.js';
import { SelectionControls } from '../parts/action-bar.js';
import { useBlocks } from '../parts/blocks.js';
import { CardWall } from '../parts/card-wall.js';
import { Choice } from '../parts/choice.js';
import { Loaded, useFetched } from '../parts/fetched.js';
import { Icon } from '../parts/icon.js';
import { ListTabs } from '../parts/list-tabs.js';
import { OrderList } from '../parts/order-list.js';
import { CHOSEN_MAX, useSelection } from '../parts/selection.js';
import { useTitle } from '../parts/title.js';
import type { WantToReadEntry } from '../state/api.js';
import { removeWanted } from '../state/bulk.js';
import { isBook } from '../state/lists.js';
import type { Member } from '../state/named-lists.js';
import { chooseInQuery, linkTo, query } from '../state/router.js';
import {
  dropWanted,
  itemsOf,
  orderWanted,
  restoreWanted,
  WANTED_ORDERS,
  type WantedOrder,
  wantedEntries,
} from '../state/wanted.js';

/** How many entries are requested at a time, each by a request of its own. */
const BLOCK = 24;

interface WallProps {
  readonly entries: readonly WantToReadEntry[];
  readonly sort: WantedOrder;
  readonly onChange: () => void;
}

const WantedWall = ({ entries, sort, onChange }: WallProps) => {
  const key = entries.map(({ id }) => id).join();
  const changes = useSignal(0);
  const { see, at } = useBlocks<Member | null>({
    key,
    size: BLOCK,
    load: async (block, signal) => ({
      data: await itemsOf(entries.slice(block * BLOCK, (block + 1) * BLOCK), { signal }),
      total: entries.length,
    }),
    revision: changes.value,
  });
  const selection = useSelection<Member>(at, key);
  return (
    <>
      <div class="filters">
        <p class="count" role="status">
          {b.wanted.count(entries.length)}
        </p>
        <SelectionControls
          selection={selection}
          all={entries.length}
          loadAll={async (signal) =>
            (await itemsOf(entries.slice(0, CHOSEN_MAX), { signal })).filter((item) => item !== null)
          }
          extra={{ icon: 'close', text: b.select.remove, done: b.select.removed, work: removeWanted }}
          onDone={() => {
            changes.value += 1;
            onChange();
          }}
        />
        <Choice
          label={b.list.sort}
          value={sort}
          options={WANTED_ORDERS.map((one) => [one, b.wanted.sorts[one]] as const)}
          onChoose={(value) => chooseInQuery({ sort: value === 'newest' ? '' : value })}
        />
      </div>
      <CardWall total={entries.length} label={b.wanted.title} onSeen={see} at={at} selection={selection} />
    </>
  );
};

const Contents = ({ onStored }: { readonly onStored: () => void }) => {
  const loaded = useFetched(async (signal) => {
    const entries = await wantedEntries('custom', { signal });
    return { entries, items: await itemsOf(entries, { signal }) };
  }, []);
  /** Restored entries, by the id that they had before. */
  const restored = useRef(new Map<string, WantToReadEntry>());
  return (
    <Loaded of={loaded}>
      {({ entries, items }) => {
        const entryOf = (id: string) => restored.current.get(id) ?? entries.find((one) => one.id === id);
        const entriesOf = (ids: readonly string[]) => ids.flatMap((id) => entryOf(id) ?? []);
        return (
          <OrderList
            items={entries.flatMap(({ id }, place) => {
              const item = items[place];
              if (item === undefined || item === null) return [];
              return [{ id, title: item.title, more: isBook(item) ? item.seriesName : t.series.books(item.bookCount) }];
            })}
            label={b.wanted.title}
            isOrdered
            onOrder={(ids) => orderWanted(entriesOf(ids).map(({ id }) => id))}
            onStored={onStored}
            onRemove={async (id) => {
              const entry = entryOf(id);
              if (entry !== undefined) await dropWanted(entry);
            }}
            onRestore={async (id, ids) => {
              const after = await restoreWanted(entriesOf(ids));
              const entry = after[ids.indexOf(id)];
              if (entry !== undefined) restored.current.set(id, entry);
            }}
          />
        );
      }}
    </Loaded>
  );
};

const None = () => (
  <div class="notice">
    <h2>{b.wanted.none}</h2>
    <p>{b.wanted.noneText}</p>
    <a class="button" href={linkTo('browse')}>
      {b.kinds.collection.find}
    </a>
  </div>
);

export const WantedScreen = () => {
  useTitle(b.wanted.title);
  const sort = WANTED_ORDERS.find((one) => one === query.value.get('sort')) ?? 'newest';
  const isOrdering = useSignal(false);
  const entries = useFetched((signal) => wantedEntries(sort, { signal }), [sort], { keepsOld: 'until answered' });
  const toggleOrdering = (): void => {
    isOrdering.value = !isOrdering.value;
    if (!isOrdering.value && sort !== 'custom') chooseInQuery({ sort: 'custom' }, { replaces: true });
  };
  return (
    <>
      <ListTabs current="wanted" />
      <div class="head">
        <h1>{b.wanted.title}</h1>
        {entries.state.value.kind === 'done' && entries.state.value.value.length > 0 && (
          <button type="button" class={isOrdering.value ? 'button primary' : 'button'} onClick={toggleOrdering}>
            {!isOrdering.value && <Icon name="list" />}
            {isOrdering.value ? b.dialog.done : b.list.contents}
          </button>
        )}
      </div>
      {isOrdering.value ? (
        <Contents onStored={entries.again} />
      ) : (
        <Loaded of={entries}>
          {(found) =>
            found.length === 0 ? <None /> : <WantedWall entries={found} sort={sort} onChange={entries.again} />
          }
        </Loaded>
      )}
    </>
  );
};
