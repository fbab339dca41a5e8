// API keys as shown on the wire.
import type { ApiKey } from '../../../core/access/api-keys.js';
import type { MadeKey } from '../../../core/access/key-changes.js';
import type { Wire } from '../../surface/wire.js';
import type { ApiKey as ApiKeySchema, MadeApiKey } from '../schemas/api-keys.js';
import { instant, instantOrNull } from './time.js';

export const apiKeyView = (key: ApiKey): Wire<typeof ApiKeySchema> => {
  const [expires, used, made] = [instantOrNull(key.expiresAt), instantOrNull(key.lastUsedAt), instant(key.createdAt)];
  return {
    id: key.id,
    userId: key.userId,
    name: key.name,
    key_prefix: key.prefix,
    keyPrefix: key.prefix,
    permissions: key.permissions,
    isActive: key.active,
    expires_at: expires,
    expiresAt: expires,
    last_used_at: used,
    lastUsedAt: used,
    created_at: made,
    createdAt: made,
    updatedAt: instant(key.updatedAt),
  };
};

export const madeApiKeyView = (key: MadeKey): Wire<typeof MadeApiKey> => ({ ...apiKeyView(key), key: key.text });
