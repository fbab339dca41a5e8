// API keys that apps make for themselves, each under a comment: a second one under the same comment would be a mistake.
import { AppError } from '../model/errors.js';
import { KEYS_MAX, listKeys } from './api-keys.js';
import type { KnownActor } from './caller.js';
import { createKey, type MadeKey } from './key-changes.js';

export const createAppKey = async (
  parts: Parameters<typeof createKey>[0],
  by: KnownActor,
  comment: string,
): Promise<MadeKey> => {
  const { items } = await listKeys(parts, by.caller, { page: 1, pageSize: KEYS_MAX });
  if (items.some(({ name }) => name === comment.trim())) {
    const message = 'is already that of a key of yours';
    throw new AppError('BadRequest', `The comment ${message}.`, [{ path: 'comment', message }]);
  }
  return createKey(parts, by, { name: comment, expiresAt: null });
};
