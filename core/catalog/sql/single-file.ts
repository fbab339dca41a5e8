// Which series are a single file in the root of their library: one rule for what is shown and what is found.
import { BOOK_FORMATS } from '../../model/formats.js';

const HAS_EXTENSION = BOOK_FORMATS.map((format) => `lower(s.path) LIKE '%.${format}'`).join(' OR ');

/** SQL on a series `s`. A folder may have the name of a file, so its books are looked at as well. */
export const IS_SINGLE_FILE = `(instr(s.path, '/') = 0 AND (${HAS_EXTENSION}) AND EXISTS (SELECT 1 FROM book o CROSS JOIN folder f
  ON f.id = o.folder_id WHERE o.series_id = s.id AND f.path = ''))`;
