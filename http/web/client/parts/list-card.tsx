// A collection or read list among others: a cover drawn as a small stack, its name, how much is in it.

import { b } from '../messages/browse-messages.js';
import type { NamedList } from '../state/named-lists.js';
import { linkTo } from '../state/router.js';
import { Cover } from './cover.js';
import { Icon } from './icon.js';

const PATHS = { collection: 'collections', readList: 'readlists' } as const;

/** Its cover; an empty one has none. */
export const ListCover = ({ list, isLazy = true }: { readonly list: NamedList; readonly isLazy?: boolean }) =>
  list.count === 0 ? (
    <span class="cover">
      <Icon name="list" />
    </span>
  ) : (
    <Cover of={{ kind: PATHS[list.kind], id: list.id, updatedAt: list.updatedAt }} isLazy={isLazy} />
  );

export const ListCard = ({ list }: { readonly list: NamedList }) => (
  <a class="card stack" href={linkTo(list.kind, list.id)}>
    <span class="cover-box">
      <ListCover list={list} />
    </span>
    <span class="card-title" dir="auto">
      {list.name}
    </span>
    <span class="card-more">{b.kinds[list.kind].count(list.count)}</span>
  </a>
);
