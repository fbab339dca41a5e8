// The frame of the screens that are seen before signing in, and the ways between them.
import type { ComponentChildren } from 'preact';
import type { ScreenName } from '../../addresses.js';
import { t } from '../messages/messages.js';
import type { SetupStatus } from '../state/api.js';
import { offers } from '../state/offers.js';
import { linkTo, query } from '../state/router.js';
import { useTitle } from './title.js';

export const Door = ({ title, children }: { readonly title: string; readonly children: ComponentChildren }) => {
  useTitle(title);
  return (
    <div class="door">
      <div class="door-box">
        <p class="brand">Longbox</p>
        <h1>{title}</h1>
        {children}
      </div>
    </div>
  );
};

type OtherDoor = 'signIn' | 'back' | 'register' | 'forgotPassword';

interface Way {
  readonly screen: ScreenName;
  readonly text: () => string;
  readonly isOffered: (offered: SetupStatus | null) => boolean;
}

const WAYS: Readonly<Record<OtherDoor, Way>> = {
  signIn: { screen: 'signIn', text: () => t.door.haveAccount, isOffered: () => true },
  back: { screen: 'signIn', text: () => t.door.backToSignIn, isOffered: () => true },
  register: {
    screen: 'register',
    text: () => t.door.noAccount,
    isOffered: (offered) => offered?.registrationEnabled === true,
  },
  forgotPassword: {
    screen: 'forgotPassword',
    text: () => t.door.forgot,
    isOffered: (offered) => offered?.passwordResetEnabled === true,
  },
};

/** Links to those that this server offers. Where somebody wanted to go is kept. */
export const OtherDoors = ({ to }: { readonly to: readonly OtherDoor[] }) => {
  const offered = to.filter((name) => WAYS[name].isOffered(offers.value));
  if (offered.length === 0) return null;
  return (
    <ul class="other-doors">
      {offered.map((name) => (
        <li key={name}>
          <a class="text-link" href={linkTo(WAYS[name].screen, '', { to: query.value.get('to') })}>
            {WAYS[name].text()}
          </a>
        </li>
      ))}
    </ul>
  );
};
