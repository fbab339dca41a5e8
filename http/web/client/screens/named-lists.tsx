// All collections, or all read lists, and the way to create one.
import { useSignal } from '@preact/signals';
import { b } from '../messages/browse-messages.js';
import { moveByArrows } from '../parts/arrow-keys.js';
import { Loaded, useFetched } from '../parts/fetched.js';
import { FillHint } from '../parts/fill-hint.js';
import { Icon } from '../parts/icon.js';
import { ListCard } from '../parts/list-card.js';
import { ListForm } from '../parts/list-form.js';
import { ListTabs } from '../parts/list-tabs.js';
import { useTitle } from '../parts/title.js';
import { allNamedLists, type ListKind, type NamedList, WRITES } from '../state/named-lists.js';
import { go, linkTo } from '../state/router.js';
import { may } from '../state/session.js';

const None = ({ kind }: { readonly kind: ListKind }) => (
  <div class="notice">
    <h2>{b.kinds[kind].none}</h2>
    {may(WRITES[kind]) && <p>{b.kinds[kind].noneText}</p>}
    <FillHint kind={kind} />
  </div>
);

const All = ({ lists }: { readonly lists: readonly NamedList[] }) => (
  <ul class="tiles" onKeyDown={moveByArrows}>
    {lists.map((list) => (
      <li key={list.id}>
        <ListCard list={list} />
      </li>
    ))}
  </ul>
);

const NamedLists = ({ kind }: { readonly kind: ListKind }) => {
  const words = b.kinds[kind];
  useTitle(words.many);
  const isMaking = useSignal(false);
  const lists = useFetched((signal) => allNamedLists(kind, { signal }), [kind]);
  return (
    <>
      <ListTabs current={`${kind}s`} />
      <div class="head">
        <h1>{words.many}</h1>
        {may(WRITES[kind]) && (
          <button
            type="button"
            class="button"
            onClick={() => {
              isMaking.value = true;
            }}
          >
            <Icon name="plus" />
            {words.make}
          </button>
        )}
      </div>
      <Loaded of={lists}>{(found) => (found.length === 0 ? <None kind={kind} /> : <All lists={found} />)}</Loaded>
      {isMaking.value && (
        <ListForm
          kind={kind}
          onDone={({ id }) => go(linkTo(kind, id))}
          onClose={() => {
            isMaking.value = false;
          }}
        />
      )}
    </>
  );
};

export const Collections = () => <NamedLists kind="collection" />;
export const ReadLists = () => <NamedLists kind="readList" />;
