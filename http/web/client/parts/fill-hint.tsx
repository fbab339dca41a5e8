// How to fill a collection or read list, with a link to what can go into it.
import { b } from '../messages/browse-messages.js';
import { type ListKind, WRITES } from '../state/named-lists.js';
import { linkTo } from '../state/router.js';
import { may } from '../state/session.js';

const WALLS: Readonly<Record<ListKind, () => string>> = {
  collection: () => linkTo('browse'),
  readList: () => linkTo('browse', '', { of: 'books' }),
};

/** Nothing for those who may not fill it. */
export const FillHint = ({ kind }: { readonly kind: ListKind }) =>
  may(WRITES[kind]) ? (
    <>
      <p>{b.kinds[kind].fill}</p>
      <a class="button" href={WALLS[kind]()}>
        {b.kinds[kind].find}
      </a>
    </>
  ) : null;
