// The frame around every screen, and which screen it is: the door for those who are not signed in.
import { useSignal, useSignalEffect } from '@preact/signals';
import type { ComponentType } from 'preact';
import { useEffect } from 'preact/hooks';
import type { ScreenName } from '../addresses.js';
import { t } from './messages/messages.js';
import { Failure, NotFound } from './parts/fetched.js';
import { Navigation } from './parts/navigation.js';
import { SignedOutNotice } from './parts/signed-out-notice.js';
import { Home } from './screens/home.js';
import { setupStatus } from './state/api.js';
import { go, linkTo, ownPath, query, screen } from './state/router.js';
import { findSession, session } from './state/session.js';

interface ScreenProps {
  readonly id: string;
}
type View = ComponentType<ScreenProps>;

/** What is loaded when it is first shown; home is there from the beginning. */
const VIEWS: Readonly<Record<ScreenName, () => Promise<View>>> = {
  home: async () => Home,
  setUp: async () => (await import('./screens/set-up.js')).SetUp,
  signIn: async () => (await import('./screens/sign-in.js')).SignIn,
  libraries: async () => (await import('./screens/libraries.js')).Libraries,
  newLibrary: async () => (await import('./screens/new-library.js')).NewLibrary,
  library: async () => (await import('./screens/library.js')).LibraryScreen,
  browse: async () => (await import('./screens/browse.js')).Browse,
  series: async () => (await import('./screens/series.js')).SeriesScreen,
  search: async () => (await import('./screens/search.js')).Search,
  settings: async () => (await import('./screens/settings.js')).Settings,
  book: async () => (await import('./screens/book.js')).BookScreen,
  read: async () => (await import('./reader/reader.js')).Reader,
};

/** Screens that fill the window. */
const BARE: ReadonlySet<ScreenName> = new Set(['read', 'setUp', 'signIn']);
const AT_THE_DOOR: ReadonlySet<ScreenName> = new Set(['setUp', 'signIn']);

/** Who is not signed in is led to the door; who is, away from it. */
const leadToDoor = async (): Promise<void> => {
  const { name } = screen.value;
  const { kind } = session.value;
  if (kind === 'user' && name !== null && AT_THE_DOOR.has(name)) go(ownPath(query.value.get('to')), { replaces: true });
  if (kind !== 'nobody') return;
  const { setupRequired } = await setupStatus();
  if (setupRequired && name !== 'setUp') go(linkTo('setUp'), { replaces: true });
  if (!setupRequired && name !== 'signIn') {
    const to = name === 'setUp' || name === 'home' ? null : location.pathname + location.search;
    go(linkTo('signIn', '', { to }), { replaces: true });
  }
};

const isLetIn = (name: ScreenName): boolean => {
  const { kind } = session.value;
  return AT_THE_DOOR.has(name) ? kind === 'nobody' : kind === 'user';
};

const Shown = () => {
  const { name, id } = screen.value;
  const view = useSignal<{ readonly name: ScreenName; readonly View: View } | null>(null);
  const fault = useSignal<{ readonly thrown: unknown } | null>(null);
  useSignalEffect(() => {
    const wanted = screen.value.name;
    if (wanted === null || !isLetIn(wanted)) return;
    VIEWS[wanted]().then(
      (View) => {
        fault.value = null;
        view.value = { name: wanted, View };
      },
      (thrown: unknown) => {
        fault.value = { thrown };
      },
    );
  });
  if (fault.value !== null) return <Failure thrown={fault.value.thrown} again={() => location.reload()} />;
  if (name === null) return <NotFound />;
  if (view.value?.name !== name || !isLetIn(name)) return null;
  const { View } = view.value;
  return <View key={id} id={id} />;
};

export const App = () => {
  const fault = useSignal<unknown>(null);
  const begin = (): void => {
    fault.value = null;
    findSession(AT_THE_DOOR.has(screen.value.name ?? 'home')).catch((thrown: unknown) => {
      fault.value = thrown;
    });
  };
  useEffect(begin, []);
  useSignalEffect(() => {
    leadToDoor().catch((thrown: unknown) => {
      fault.value = thrown;
    });
  });
  if (fault.value !== null) return <Failure thrown={fault.value} again={begin} />;
  const { name } = screen.value;
  const isBare = name !== null && BARE.has(name);
  return (
    <>
      {!isBare && (
        <a class="skip" href="#content">
          {t.app.skip}
        </a>
      )}
      {!isBare && session.value.kind === 'user' && <Navigation current={name} />}
      <main id="content" class={isBare ? 'bare' : 'page'} tabIndex={-1}>
        <Shown />
      </main>
      <SignedOutNotice />
    </>
  );
};
