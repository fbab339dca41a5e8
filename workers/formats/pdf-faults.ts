// Errors of the PDF engine as sentences for the owner of the file: what is wrong and what to do. The details contain the engine's message.
import { AppError } from '../../core/model/errors.js';

const PROTECTED = /unknown (?:encryption|crypt)|unsupported (?:encryption|security)/i;

/** The first match counts. */
const DAMAGE: readonly (readonly [words: RegExp, what: string])[] = [
  [/truncated|(?:before|unexpected|premature) end/i, 'it ends too early'],
  [/startxref|xref|trailer|objects? (?:not )?found|version marker/i, 'the table of its objects is missing or damaged'],
  [/page tree|number of pages|kids/i, 'its list of pages is damaged'],
];

const INVALID = 'parts of it are not valid PDF';

const ADVICE = 'Copy or download it again; if that does not help, open it in a PDF program and save it as a new file.';

const wordsOf = (thrown: unknown): string =>
  ((thrown instanceof Error ? thrown.message : String(thrown)).split('\n')[0] ?? '').slice(0, 200);

export const damagedPdf = (thrown: unknown): AppError => {
  const engine = wordsOf(thrown);
  if (PROTECTED.test(engine))
    return new AppError(
      'EncryptedArchive',
      'The PDF document is protected in a way that this server cannot open; save it without protection.',
      { engine },
      thrown,
    );
  const what = DAMAGE.find(([words]) => words.test(engine))?.[1] ?? INVALID;
  return new AppError('CorruptArchive', `The PDF document is damaged: ${what}. ${ADVICE}`, { engine }, thrown);
};

export const damagedPage = (thrown: unknown): AppError =>
  new AppError(
    'CorruptPage',
    `The page cannot be drawn, because ${INVALID.replace('it', 'the PDF document')}. ${ADVICE}`,
    { engine: wordsOf(thrown) },
    thrown,
  );
