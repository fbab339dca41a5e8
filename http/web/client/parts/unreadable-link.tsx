// How many books of a library cannot be read, leading to which and why; nothing where all can.

import { b } from '../messages/browse-messages.js';
import type { Library } from '../state/api.js';
import { unreadableIn } from '../state/lists.js';
import { linkTo } from '../state/router.js';
import { useFetched } from './fetched.js';
import { Icon } from './icon.js';

export const UnreadableLink = ({ library: { id, bookCount, lastScannedAt } }: { readonly library: Library }) => {
  const count = useFetched((signal) => unreadableIn(id, { signal }), [id, bookCount, lastScannedAt], {
    keepsOld: 'even on errors',
  });
  const { value } = count.state;
  if (value.kind !== 'done' || value.value === 0) return null;
  return (
    <a class="unreadable-link" href={linkTo('unreadable', '', { library: id })}>
      <Icon name="alert" />
      {b.problems.unreadable(value.value)}
    </a>
  );
};
