// Removing a library: its scan is stopped first, then its rows go.
import { deleteLibrary, libraryById } from '../catalog/libraries.js';
import type { Db } from '../store/db.js';
import type { Scans } from './scans.js';

export const removeLibrary = async (db: Db, scans: Scans, id: string): Promise<void> => {
  const library = await libraryById(db, id);
  if (scans.active().some((status) => status.libraryKey === library.key)) await scans.cancel(library.key);
  await deleteLibrary(db, library);
};
