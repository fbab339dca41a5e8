// How e-readers sign in: with an API key as the user name, or with a user name and the MD5 of the user's sync secret.
import { isMarkedAsKey } from '../../core/access/key-text.js';
import { wrongSyncSecret } from '../../core/access/sync-secrets.js';
import type { SignIn } from '../surface/credentials.js';

export const deviceHeaders: SignIn = ({ app, request, clientAddress, surface }) => {
  const name = request.header('x-auth-user').trim();
  const key = request.header('x-auth-key').trim();
  if (name === '' && key === '') return undefined;
  if (isMarkedAsKey(name)) return app.callers.byKey(name);
  if (name === '' || key === '') throw wrongSyncSecret();
  return app.callers.bySyncKey({ name, key, address: clientAddress, surface });
};
