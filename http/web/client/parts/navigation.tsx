// The main menu: at the top of a wide window, at the bottom of a small one, where thumbs are.
import { useEffect } from 'preact/hooks';
import type { ScreenName } from '../../addresses.js';
import { t } from '../messages/messages.js';
import { linkTo } from '../state/router.js';
import { Icon, type IconName } from './icon.js';
import { focusSearch, listenForSearchKey } from './search-key.js';

interface Entry {
  readonly name: ScreenName;
  readonly icon: IconName;
  readonly text: () => string;
  /** Screens that belong to it. */
  readonly within: readonly ScreenName[];
  /** A shortcut that opens it from any screen. */
  readonly key?: string;
  /** What a click does if it is already open. */
  readonly onAgain?: () => void;
}

const ENTRIES: readonly Entry[] = [
  { name: 'home', icon: 'home', text: () => t.app.home, within: [] },
  {
    name: 'libraries',
    icon: 'libraries',
    text: () => t.app.libraries,
    within: ['library', 'newLibrary', 'unreadable', 'browse', 'series', 'book'],
  },
  {
    name: 'wanted',
    icon: 'list',
    text: () => t.app.lists,
    within: ['collections', 'collection', 'readLists', 'readList'],
  },
  { name: 'search', icon: 'search', text: () => t.app.search, within: [], key: '/', onAgain: focusSearch },
  { name: 'settings', icon: 'settings', text: () => t.app.settings, within: ['apps'] },
];

export const Navigation = ({ current }: { readonly current: ScreenName | null }) => {
  useEffect(listenForSearchKey, []);
  return (
    <header class="top">
      <a class="brand" href={linkTo('home')}>
        Longbox
      </a>
      <nav aria-label={t.app.menu}>
        {ENTRIES.map(({ name, icon, text, within, key, onAgain }) => (
          <a
            key={name}
            href={linkTo(name)}
            aria-current={current === name ? 'page' : undefined}
            aria-keyshortcuts={key}
            onClick={current === name ? onAgain : undefined}
            class={current !== null && within.includes(current) ? 'within' : undefined}
          >
            <Icon name={icon} />
            <span class="menu-text" data-text={text()}>
              {text()}
            </span>
          </a>
        ))}
      </nav>
    </header>
  );
};
