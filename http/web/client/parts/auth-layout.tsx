// The layout of the screens for signing in, registering and setting a password, and the links between them.
import type { ComponentChildren } from 'preact';
import type { ScreenName } from '../../addresses.js';
import { t } from '../messages/messages.js';
import type { SetupStatus } from '../state/api.js';
import { offers } from '../state/offers.js';
import { linkTo, query } from '../state/router.js';
import { useTitle } from './title.js';

export const AuthLayout = ({ title, children }: { readonly title: string; readonly children: ComponentChildren }) => {
  useTitle(title);
  return (
    <div class="auth">
      <div class="auth-box">
        <p class="brand">Longbox</p>
        <h1>{title}</h1>
        {children}
      </div>
    </div>
  );
};

type AuthLink = 'signIn' | 'back' | 'register' | 'forgotPassword';

interface LinkEntry {
  readonly screen: ScreenName;
  readonly text: () => string;
  readonly isOffered: (offered: SetupStatus | null) => boolean;
}

const LINKS: Readonly<Record<AuthLink, LinkEntry>> = {
  signIn: { screen: 'signIn', text: () => t.auth.haveAccount, isOffered: () => true },
  back: { screen: 'signIn', text: () => t.auth.backToSignIn, isOffered: () => true },
  register: {
    screen: 'register',
    text: () => t.auth.noAccount,
    isOffered: (offered) => offered?.registrationEnabled === true,
  },
  forgotPassword: {
    screen: 'forgotPassword',
    text: () => t.auth.forgot,
    isOffered: (offered) => offered?.passwordResetEnabled === true,
  },
};

/** Links to the screens that this server offers. The address to return to after signing in is passed on. */
export const AuthLinks = ({ to }: { readonly to: readonly AuthLink[] }) => {
  const offered = to.filter((name) => LINKS[name].isOffered(offers.value));
  if (offered.length === 0) return null;
  return (
    <ul class="auth-links">
      {offered.map((name) => (
        <li key={name}>
          <a class="text-link" href={linkTo(LINKS[name].screen, '', { to: query.value.get('to') })}>
            {LINKS[name].text()}
          </a>
        </li>
      ))}
    </ul>
  );
};
