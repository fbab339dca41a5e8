// The caller's own sync secret as JSON.
import type { MadeSyncSecret as Made, OwnSyncSecret } from '../../../core/access/own-sync-secret.js';
import type { Wire } from '../../surface/wire.js';
import type { MadeSyncSecret, SyncSecret } from '../schemas/sync-secret.js';
import { instant, instantOrNull } from './time.js';

export const syncSecretView = ({ setAt }: OwnSyncSecret): Wire<typeof SyncSecret> => ({
  isSet: setAt !== null,
  setAt: instantOrNull(setAt),
});

export const madeSyncSecretView = ({ secret, setAt }: Made): Wire<typeof MadeSyncSecret> => ({
  secret,
  setAt: instant(setAt),
});
