// How e-readers sign in: with an API key as the user name, or with a user name and the MD5 of the user's sync secret.
import { isUtf8 } from 'node:buffer';
import { isMarkedAsKey } from '../../core/access/key-text.js';
import { wrongSyncSecret } from '../../core/access/sync-secrets.js';
import type { SignIn } from '../surface/credentials.js';

/** Headers are read as Latin-1, but devices send names in UTF-8. */
const nameIn = (header: string): string => {
  if (!/^[\0-\xff]*[\x80-\xff][\0-\xff]*$/.test(header)) return header;
  const bytes = Buffer.from(header, 'latin1');
  return isUtf8(bytes) ? bytes.toString('utf8') : header;
};

export const deviceHeaders: SignIn = ({ app, request, clientAddress }) => {
  const name = nameIn(request.header('x-auth-user')).trim();
  const key = request.header('x-auth-key').trim();
  if (name === '' && key === '') return undefined;
  if (isMarkedAsKey(name)) return app.callers.byKey(name);
  if (name === '' || key === '') throw wrongSyncSecret();
  return app.callers.bySyncKey({ name, key, address: clientAddress });
};
