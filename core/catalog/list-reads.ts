// How lists are read for a person: in turn with those of other users, and no further once the client has left.
import type { Viewer } from '../model/viewer.js';
import type { Asker, Db, Reads } from '../store/db.js';

export interface ReadParts {
  readonly db: Db;
  /** Aborted when nobody waits for the list any more. */
  readonly signal?: AbortSignal | undefined;
}

export const askerOf = ({ signal }: ReadParts, { userKey }: Viewer): Asker => ({ user: userKey, signal });

export const listReads = (parts: ReadParts, viewer: Viewer): Reads => parts.db.readsFor(askerOf(parts, viewer), 'list');
