// Tabs for the three kinds of lists: want to read, collections, read lists.
import type { ScreenName } from '../../addresses.js';
import { b } from '../messages/browse-messages.js';
import { linkTo } from '../state/router.js';
import { may } from '../state/session.js';

const TABS = [
  { name: 'wanted', text: () => b.wanted.title, needs: 'SeriesRead' },
  { name: 'collections', text: () => b.kinds.collection.many, needs: 'CollectionsRead' },
  { name: 'readLists', text: () => b.kinds.readList.many, needs: 'ReadListsRead' },
] as const satisfies readonly { name: ScreenName; text: () => string; needs: string }[];

export const ListTabs = ({ current }: { readonly current: (typeof TABS)[number]['name'] }) => (
  <nav class="tabs" aria-label={b.list.tabs}>
    {TABS.filter(({ needs }) => may(needs)).map(({ name, text }) => (
      <a key={name} href={linkTo(name)} aria-current={name === current ? 'page' : undefined}>
        {text()}
      </a>
    ))}
  </nav>
);
