// Where things lie in the data folder.
import { join } from 'node:path';
import { OWN_FOLDER } from './backup.js';

export const databasePath = (folder: string): string => join(folder, 'longbox.db');
export const backupFolder = (folder: string): string => join(folder, OWN_FOLDER);
/** Images that users uploaded. They cannot be made again. */
export const uploadFolder = (folder: string): string => join(folder, 'uploads');
