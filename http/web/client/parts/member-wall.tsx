// The members of a collection or read list as a wall of covers, of which several can be selected.
import { useSignal } from '@preact/signals';
import { b } from '../messages/browse-messages.js';
import { t } from '../messages/messages.js';
import { dropFrom } from '../state/bulk.js';
import { firstMembers, type Member, type NamedList, rowsOf, WRITES } from '../state/named-lists.js';
import { chooseInQuery } from '../state/router.js';
import { may } from '../state/session.js';
import { SelectionControls } from './action-bar.js';
import { useBlocks } from './blocks.js';
import { CardWall } from './card-wall.js';
import { Choice } from './choice.js';
import { Failure } from './fetched.js';
import { CHOSEN_MAX, useSelection } from './selection.js';

/** As many as one request brings. */
const BLOCK = 120;

const SORTS = {
  collection: ['own', 'title', 'year', 'added'],
  readList: ['own', 'title', 'release', 'added'],
} as const;

type Sort = (typeof SORTS)[keyof typeof SORTS][number];

/** The first is its own order, as the server sorts a list that has none: by title, or by release date. */
const sortsOf = ({ kind, ordered }: NamedList): readonly [Sort, ...Sort[]] => {
  if (ordered) return SORTS[kind];
  return kind === 'collection' ? ['title', 'year', 'added'] : ['release', 'title', 'added'];
};

interface Props {
  readonly list: NamedList;
  /** The wanted order, if it is one that there is. */
  readonly sort: string | null;
  readonly revision: number;
  /** What is in the list may have changed. */
  readonly onChange: () => void;
}

const removalFrom = (list: NamedList) =>
  may(WRITES[list.kind]) && !list.isAutomatic
    ? { extra: { icon: 'close', text: b.select.remove, done: b.select.removed, work: dropFrom(list) } as const }
    : {};

export const MemberWall = ({ list, sort: wanted, revision, onChange }: Props) => {
  const sorts = sortsOf(list);
  const sort = sorts.find((one) => one === wanted) ?? sorts[0];
  const changes = useSignal(0);
  const key = `${list.id} ${sort} ${list.ordered} ${list.count}`;
  const { loaded, error, see, again, at } = useBlocks<Member>({
    key,
    size: BLOCK,
    load: async (block, signal) => {
      const asked = { page: block + 1, pageSize: BLOCK, ...(sort === 'own' ? {} : { sort }) };
      return { data: await rowsOf(list.kind).members(list.id, asked, { signal }), total: list.count };
    },
    revision: revision + changes.value,
  });
  const selection = useSelection<Member>(at, key);
  if (error.value !== null && loaded.value === null) return <Failure thrown={error.value} again={again} />;
  return (
    <>
      <div class="filters">
        <p class="count" role="status">
          {b.kinds[list.kind].count(list.count)}
        </p>
        <SelectionControls
          selection={selection}
          all={list.count}
          loadAll={(signal) => firstMembers(list, sort === 'own' ? null : sort, CHOSEN_MAX, { signal })}
          {...removalFrom(list)}
          onDone={() => {
            changes.value += 1;
            onChange();
          }}
        />
        <Choice
          label={b.list.sort}
          value={sort}
          options={sorts.map((one) => [one, b.list.sorts[one]] as const)}
          onChoose={(value) => chooseInQuery({ sort: value === sorts[0] ? '' : value })}
        />
      </div>
      {loaded.value === null ? (
        <p class="loading" role="status" aria-label={t.app.loading} />
      ) : (
        <CardWall
          total={list.count}
          label={b.kinds[list.kind].one}
          onSeen={see}
          at={at}
          selection={selection}
          listId={list.kind === 'readList' ? list.id : undefined}
        />
      )}
    </>
  );
};
