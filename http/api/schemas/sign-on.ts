// Single sign-on as answers show it.
import Type from 'typebox';
import { record, text, yes } from '../../surface/wire.js';
import { Login } from './user.js';

const SignOnProvider = record('SignOnProvider', {
  name: text('home'),
  displayName: text('Home login'),
  loginUrl: text('/api/v1/auth/oidc/home/login', 'Where to POST.'),
});

export const SignOnProviders = record('SignOnProviders', {
  enabled: yes(true),
  providers: Type.Array(SignOnProvider),
});

export const SignOnBegun = record('SignOnBegun', {
  redirectUrl: text('https://login.example/authorize?client_id=longbox', 'Where the browser goes.'),
});

export const SignOnDone = record('SignOnDone', {
  ...Login.properties,
  newAccount: yes(false, 'Whether the account was made for this.'),
  provider: text('home'),
});
