// Schemas of the answers of single sign-on.
import Type from 'typebox';
import { record, text, yes } from '../../surface/wire.js';
import { Login } from './user.js';

const SignOnProvider = record('SignOnProvider', {
  name: text('home'),
  displayName: text('Home login'),
  loginUrl: text('/api/v1/auth/oidc/home/login', 'The path to POST to in order to start a sign-in.'),
});

export const SignOnProviders = record('SignOnProviders', {
  enabled: yes(true),
  providers: Type.Array(SignOnProvider),
});

export const SignOnBegun = record('SignOnBegun', {
  redirectUrl: text('https://login.example/authorize?client_id=longbox', 'The URL to open in the browser.'),
});

export const SignOnDone = record('SignOnDone', {
  ...Login.properties,
  newAccount: yes(false, 'Whether this sign-in created the account.'),
  provider: text('home'),
});
