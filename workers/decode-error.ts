// What libvips reports while it decodes or encodes an image, in plain words.
import { AppError } from '../core/model/errors.js';
import { faultNumber, PAGE_FAULTS } from '../core/model/page-table.js';

/** The output formats limit sides to this many pixels; libvips reports that in its own words. */
const SIDE_LIMIT = /too large for the (\w+) format/i;

/** How the decoders say that there is too little data. */
const ENDS_EARLY = /premature|truncated|unexpected (?:end|eof)|end of (?:file|stream|data)|not enough data|too short/i;
const CUT_OFF = 'The image is damaged: it ends too early.';

const wordsOf = (thrown: unknown): string =>
  (thrown instanceof Error ? thrown.message : String(thrown)).split('\n')[0] ?? '';

/** libvips takes a TIFF in CIELAB of 8 bits, not of 16, for a format of its own, and refuses it (8.18). */
const LAB = /bad labq format/i;
const LAB_REASON = PAGE_FAULTS[faultNumber('lab')] ?? '';

/** A sound image in colours that the decoder refuses. */
export const isRefusedLab = (thrown: unknown): boolean =>
  thrown instanceof AppError ? thrown.message === LAB_REASON : LAB.test(wordsOf(thrown));

export const decodeError = (thrown: unknown): AppError => {
  const words = wordsOf(thrown);
  if (LAB.test(words)) return new AppError('CorruptPage', LAB_REASON, null, thrown);
  if (/pixel limit/i.test(words))
    return new AppError(
      'LimitExceeded',
      'The image has more pixels than its header says, or more than this server can decode.',
    );
  if (/^timeout:/i.test(words)) return new AppError('Timeout', undefined, null, thrown);
  const format = SIDE_LIMIT.exec(words)?.[1];
  if (format !== undefined)
    return new AppError(
      'LimitExceeded',
      `The image is too large for ${format}; request a smaller size or another format.`,
    );
  // What the decoder says goes to the log: its words mean nothing to a reader.
  return new AppError('CorruptPage', ENDS_EARLY.test(words) ? CUT_OFF : 'The image is damaged.', null, thrown);
};
