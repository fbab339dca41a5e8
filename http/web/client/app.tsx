// The frame around every screen, and which screen is shown: one of the sign-in screens to those who are not signed in.
import { signal, useSignal } from '@preact/signals';
import type { ComponentType } from 'preact';
import { useEffect, useLayoutEffect } from 'preact/hooks';
import type { ScreenName } from '../addresses.js';
import { t } from './messages/messages.js';
import './parts/everywhere.js';
import { Failure, NotFound } from './parts/fetched.js';
import { LeavingQuestion } from './parts/leaving-question.js';
import { recoverFocus } from './parts/lost-focus.js';
import { Navigation } from './parts/navigation.js';
import { SignedOutNotice } from './parts/signed-out-notice.js';
import { ToastLine } from './parts/toast.js';
import { Home } from './screens/home.js';
import type { SetupStatus } from './state/api.js';
import { askForOffers, offers } from './state/offers.js';
import { go, internalPath, linkTo, query, screen } from './state/router.js';
import { findSession, session } from './state/session.js';

interface ScreenProps {
  readonly id: string;
}
type View = ComponentType<ScreenProps>;

/** Screens that have been loaded; home is there from the beginning. */
const loaded = signal<Partial<Record<ScreenName, View>>>({ home: Home });

const browsing = () => import('./screens/browsing.js');

/** Screens that are loaded when they are first shown. */
const VIEWS: Readonly<Record<Exclude<ScreenName, 'home'>, () => Promise<View>>> = {
  setUp: async () => (await import('./screens/set-up.js')).SetUp,
  signIn: async () => (await import('./screens/sign-in.js')).SignIn,
  register: async () => (await import('./screens/register.js')).Register,
  forgotPassword: async () => (await import('./screens/forgot-password.js')).ForgotPassword,
  verifyEmail: async () => (await import('./screens/verify-email.js')).VerifyEmail,
  resetPassword: async () => (await import('./screens/reset-password.js')).ResetPassword,
  signedOn: async () => (await import('./screens/signed-on.js')).SignedOn,
  libraries: async () => (await browsing()).Libraries,
  newLibrary: async () => (await browsing()).NewLibrary,
  library: async () => (await browsing()).LibraryScreen,
  unreadable: async () => (await browsing()).Unreadable,
  browse: async () => (await browsing()).Browse,
  series: async () => (await browsing()).SeriesScreen,
  search: async () => (await browsing()).Search,
  settings: async () => (await import('./screens/settings.js')).Settings,
  apps: async () => (await import('./screens/apps.js')).Apps,
  book: async () => (await browsing()).BookScreen,
  read: async () => (await import('./reader/reader.js')).Reader,
  wanted: async () => (await browsing()).WantedScreen,
  collections: async () => (await browsing()).Collections,
  collection: async () => (await browsing()).CollectionScreen,
  readLists: async () => (await browsing()).ReadLists,
  readList: async () => (await browsing()).ReadListScreen,
};

/** For those who are not signed in. */
const AUTH_SCREENS: ReadonlySet<ScreenName> = new Set(['setUp', 'signIn', 'register', 'forgotPassword']);
/** Where links in mails and sign-ons lead: open to everybody. */
const LINK_TARGETS: ReadonlySet<ScreenName> = new Set(['verifyEmail', 'resetPassword', 'signedOn']);
/** Screens that fill the window. */
const BARE: ReadonlySet<ScreenName> = new Set(['read', ...AUTH_SCREENS, ...LINK_TARGETS]);

/** The sign-in screen to show to a visitor who asks for `name`; null if that screen itself may be shown. */
const authScreenFor = (name: ScreenName | null, { setupRequired, ...offered }: SetupStatus): ScreenName | null => {
  if (setupRequired) return name === 'setUp' ? null : 'setUp';
  if (name === 'signIn') return null;
  if (name === 'register' && offered.registrationEnabled) return null;
  if (name === 'forgotPassword' && offered.passwordResetEnabled) return null;
  return 'signIn';
};

/** Redirects visitors who are not signed in to a sign-in screen, and users who are, away from it. */
const redirect = (): void => {
  const { name } = screen.value;
  const { kind } = session.value;
  if (kind === 'user' && name !== null && AUTH_SCREENS.has(name))
    go(internalPath(query.value.get('to')), { replaces: true });
  if (kind !== 'signedOut' || offers.value === null || (name !== null && LINK_TARGETS.has(name))) return;
  const redirectTo = authScreenFor(name, offers.value);
  if (redirectTo === null) return;
  const isWorthReturning = name !== 'home' && !(name !== null && AUTH_SCREENS.has(name));
  go(linkTo(redirectTo, '', { to: isWorthReturning ? location.pathname + location.search : null }), { replaces: true });
};

const mayShow = (name: ScreenName): boolean => {
  const { kind } = session.value;
  if (LINK_TARGETS.has(name)) return true;
  if (!AUTH_SCREENS.has(name)) return kind === 'user';
  return kind === 'signedOut' && offers.value !== null && authScreenFor(name, offers.value) === null;
};

const CurrentScreen = () => {
  const { name, id } = screen.value;
  const error = useSignal<{ readonly of: ScreenName; readonly thrown: unknown } | null>(null);
  const wanted = name !== null && mayShow(name) ? name : null;
  useLayoutEffect(() => {
    error.value = null;
    if (wanted === null || wanted === 'home' || loaded.peek()[wanted] !== undefined) return;
    VIEWS[wanted]().then(
      (View) => {
        loaded.value = { ...loaded.peek(), [wanted]: View };
      },
      (thrown: unknown) => {
        error.value = { of: wanted, thrown };
      },
    );
  }, [wanted]);
  const failed = error.value;
  if (failed !== null && failed.of === wanted)
    return <Failure thrown={failed.thrown} again={() => location.reload()} />;
  if (name === null) return <NotFound />;
  const View = wanted === null ? undefined : loaded.value[wanted];
  if (View === undefined)
    return wanted === null ? null : <p class="loading" role="status" aria-label={t.app.loading} />;
  return <View key={id} id={id} />;
};

export const App = () => {
  const error = useSignal<unknown>(null);
  const begin = (): void => {
    error.value = null;
    if (session.value.kind !== 'unknown') return;
    findSession().catch((thrown: unknown) => {
      error.value = thrown;
    });
  };
  useLayoutEffect(recoverFocus, []);
  useLayoutEffect(begin, []);
  const { kind } = session.value;
  useEffect(() => {
    if (kind === 'user') offers.value = null; // another may find others
    if (kind !== 'signedOut') return;
    askForOffers().catch((thrown: unknown) => {
      error.value = thrown;
    });
  }, [kind]);
  useEffect(redirect, [screen.value, kind, offers.value]);
  if (error.value !== null) return <Failure thrown={error.value} again={begin} />;
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
        <CurrentScreen />
      </main>
      <LeavingQuestion />
      <ToastLine />
      <SignedOutNotice />
    </>
  );
};
