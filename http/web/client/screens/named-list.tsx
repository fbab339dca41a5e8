// One collection or read list: its covers as a wall, and for those who may change it, its order and what is in it.
import { useSignal } from '@preact/signals';
import { b } from '../messages/browse-messages.js';
import { t } from '../messages/messages.js';
import { Confirm } from '../parts/confirm.js';
import { Loaded, useFetched } from '../parts/fetched.js';
import { FillHint } from '../parts/fill-hint.js';
import { Icon } from '../parts/icon.js';
import { ListCover } from '../parts/list-card.js';
import { ListForm } from '../parts/list-form.js';
import { ListPlace } from '../parts/list-place.js';
import { MemberWall } from '../parts/member-wall.js';
import { OrderList } from '../parts/order-list.js';
import { useTitle } from '../parts/title.js';
import { isBook } from '../state/lists.js';
import {
  allMembers,
  DELETES,
  type ListKind,
  type Member,
  type NamedList,
  restoreTo,
  rowsOf,
  WRITES,
} from '../state/named-lists.js';
import { go, linkTo, query } from '../state/router.js';
import { may } from '../state/session.js';

const titleOf = (member: Member) => ({
  id: member.id,
  title: member.title,
  more: isBook(member) ? member.seriesName : t.series.books(member.bookCount),
});

/** Its members as rows that can be moved and removed. */
const Contents = ({ list, onStored }: { readonly list: NamedList; readonly onStored: () => void }) => {
  const members = useFetched((signal) => allMembers(list, { signal }), [list.id]);
  const rows = rowsOf(list.kind);
  return (
    <Loaded of={members}>
      {(found) => (
        <OrderList
          items={found.map(titleOf)}
          label={list.name}
          isOrdered={list.ordered}
          onOrder={(ids) => rows.order(list.id, ids)}
          onRemove={(id) => rows.drop(list.id, id)}
          onRestore={(id, ids) => restoreTo(list, [id], ids)}
          onStored={onStored}
        />
      )}
    </Loaded>
  );
};

type Task = 'none' | 'words' | 'contents' | 'delete';

const Buttons = ({ list, onTask }: { readonly list: NamedList; readonly onTask: (task: Task) => void }) => (
  <>
    {may(WRITES[list.kind]) && !list.isAutomatic && list.count > 0 && (
      <button type="button" class="button" onClick={() => onTask('contents')}>
        <Icon name="list" />
        {list.ordered ? b.list.contents : b.list.contentsUnordered}
      </button>
    )}
    {may(WRITES[list.kind]) && (
      <button type="button" class="button" onClick={() => onTask('words')}>
        <Icon name="edit" />
        {b.list.edit}
      </button>
    )}
    {may(DELETES[list.kind]) && (
      <button type="button" class="button" onClick={() => onTask('delete')}>
        <Icon name="trash" />
        {b.list.remove}
      </button>
    )}
  </>
);

interface HeadProps {
  readonly list: NamedList;
  readonly task: Task;
  readonly onTask: (task: Task) => void;
  readonly revision: number;
}

const Head = ({ list, task, onTask, revision }: HeadProps) => {
  const words = b.kinds[list.kind];
  return (
    <article class="detail small">
      <ListCover list={list} isLazy={false} />
      <div class="detail-text">
        <hgroup>
          <p class="eyebrow">
            <a class="text-link" href={linkTo(`${list.kind}s`)}>
              {words.many}
            </a>
          </p>
          <h1 dir="auto">{list.name}</h1>
          <p class="dim">
            {[words.count(list.count), list.isAutomatic && b.list.automatic].filter(Boolean).join(' · ')}
          </p>
        </hgroup>
        {list.summary !== null && <p class="summary">{list.summary}</p>}
        <div class="buttons">
          {task === 'contents' ? (
            <button key="done" type="button" class="button primary" onClick={() => onTask('none')}>
              {b.dialog.done}
            </button>
          ) : (
            <>
              {list.kind === 'readList' && list.count > 0 && <ListPlace list={list} revision={revision} />}
              <Buttons list={list} onTask={onTask} />
            </>
          )}
        </div>
      </div>
    </article>
  );
};

const Empty = ({ list }: { readonly list: NamedList }) => (
  <div class="notice">
    <h2>{b.kinds[list.kind].empty}</h2>
    {!list.isAutomatic && <FillHint kind={list.kind} />}
  </div>
);

const ListScreen = ({ kind, id }: { readonly kind: ListKind; readonly id: string }) => {
  const list = useFetched((signal) => rowsOf(kind).get(id, { signal }), [kind, id]);
  const task = useSignal<Task>('none');
  const revision = useSignal(0);
  const setTask = (next: Task): void => {
    task.value = next;
  };
  const changed = (): void => {
    revision.value += 1;
    list.again();
  };
  useTitle(list.state.value.kind === 'done' ? list.state.value.value.name : undefined);
  const done = (): void => {
    task.value = 'none';
    list.again();
  };
  return (
    <Loaded of={list}>
      {(found) => (
        <>
          <Head list={found} task={task.value} onTask={setTask} revision={revision.value} />
          {task.value === 'contents' && <Contents list={found} onStored={changed} />}
          {task.value !== 'contents' && found.count === 0 && <Empty list={found} />}
          {task.value !== 'contents' && found.count > 0 && (
            <MemberWall list={found} sort={query.value.get('sort')} revision={revision.value} onChange={list.again} />
          )}
          {task.value === 'words' && (
            <ListForm kind={kind} list={found} onDone={done} onClose={() => setTask('none')} />
          )}
          {task.value === 'delete' && (
            <Confirm
              title={b.kinds[kind].remove}
              text={b.kinds[kind].removeText(found.name)}
              action={b.list.remove}
              onConfirm={async () => {
                await rowsOf(kind).remove(id);
                go(linkTo(`${kind}s`), { replaces: true });
              }}
              onClose={() => setTask('none')}
            />
          )}
        </>
      )}
    </Loaded>
  );
};

export const CollectionScreen = ({ id }: { readonly id: string }) => <ListScreen kind="collection" id={id} />;
export const ReadListScreen = ({ id }: { readonly id: string }) => <ListScreen kind="readList" id={id} />;
