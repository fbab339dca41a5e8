// Indexes rows that are older than the search index, at a start.
import { withConnection } from '../../store/connection.js';
import { keepBatch } from './index-upkeep.js';

const INDEX_BATCH = 5000;

/** Once: about ten seconds for a million books. */
export const indexWaiting = (path: string, onNote: (sentence: string) => void): Promise<void> =>
  withConnection(path, async (connection) => {
    let count = 0;
    for (let done = -1; done !== 0; ) {
      await connection.exec('BEGIN IMMEDIATE');
      done = await keepBatch(connection, INDEX_BATCH);
      await connection.exec('COMMIT');
      count += done;
    }
    if (count > 0) onNote(`search index built for ${count} books, series and people`);
  });
