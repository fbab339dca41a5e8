// API keys as answers show them: in both spellings, since apps read one or the other.
import Type from 'typebox';
import { id, orNull, record, text, time, yes } from '../../surface/wire.js';
import { pageOf } from './paging.js';

const PREFIX = 'Ab3dE6gH';

const keyFields = {
  id: id(),
  userId: id('Whose it is.'),
  name: text('Tablet'),
  key_prefix: text(PREFIX),
  keyPrefix: text(PREFIX),
  permissions: Type.Array(text('BooksRead'), { description: 'Those of them that the owner has as well count.' }),
  isActive: yes(true),
  expires_at: orNull(time()),
  expiresAt: orNull(time()),
  last_used_at: orNull(time()),
  lastUsedAt: orNull(time()),
  created_at: time(),
  createdAt: time(),
  updatedAt: time(),
};

/** ApiKeyDto. */
export const ApiKey = record('ApiKey', keyFields);

export const MadeApiKey = record('MadeApiKey', {
  ...keyFields,
  key: text(`svc_${PREFIX}_…`, 'The whole key. Only this answer has it, and nobody can find it out later.'),
});

export const ApiKeyPage = pageOf('ApiKeyPage', ApiKey);
