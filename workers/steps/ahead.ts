// Where the disk is slow: reads at once what every analysis needs of a file, and looks for the files that describe it. A small file is read
// whole.
import { sliceRanges } from '../hashes.js';
import { type SidecarNames, sidecarsOf } from '../metadata/sidecars.js';
import { type FileRange, SMALL_FILE_BYTES } from '../read-ahead.js';
import { step } from '../step.js';

/** The directory of most archives is in the last bytes (formats/zip-end.ts). */
const TAIL_BYTES = 16 * 1024;

const NONE: SidecarNames = new Set();

const rangesOf = (size: number): readonly FileRange[] =>
  size <= SMALL_FILE_BYTES
    ? [{ position: 0, length: size }]
    : [...sliceRanges(size), { position: size - TAIL_BYTES, length: TAIL_BYTES }];

export const ahead = step({
  name: 'ahead',
  needs: ['file', 'path', 'root', 'isAlone'],
  gives: ['beside'],
  run: async ({ file, path, root, isAlone }) => {
    if (!file.isSlow) return { beside: isAlone ? NONE : null };
    // One after the other: a thread has no more calls under way than it may have.
    const beside = isAlone ? NONE : await sidecarsOf({ path, root });
    await file.readAhead(rangesOf(file.size));
    return { beside };
  },
});
