// Who waits for an image, and until when.
import type { Viewer } from '../model/viewer.js';
import type { Asker } from '../store/reader-pool.js';

export interface Asking {
  readonly viewer: Viewer;
  /** Called only when there is something to wait for. */
  readonly signal: () => AbortSignal;
}

export interface WaitingAsker extends Asker {
  readonly signal: AbortSignal;
}

export const askerOf = ({ viewer, signal }: Asking): WaitingAsker => ({ user: viewer.userKey, signal: signal() });
