// The progress line: its words, and how it is drawn on a terminal and into a file.
import { createProgressWriter, progressLine, type ScanStatus } from '../../http/cli/progress-line.js';
import { assert, block } from '../kit.js';

const status = (over: Partial<ScanStatus> = {}): ScanStatus => ({
  phase: 'analysing',
  libraryName: 'Comics',
  filesFound: 1000,
  booksDone: 412,
  booksTotal: 1000,
  errors: 2,
  ratePerS: 38,
  ...over,
});

const LINES: readonly (readonly [string, Partial<ScanStatus>, string])[] = [
  ['nothing is known yet', { booksDone: 0, ratePerS: 0, errors: 0 }, 'Scanning Comics  0/1000 books'],
  ['the rate is no number', { ratePerS: Number.NaN, errors: 0 }, 'Scanning Comics  412/1000 books'],
  ['more is done than was counted', { booksDone: 1001, errors: 0 }, 'Scanning Comics  1001/1000 books  38/s'],
  ['the library is empty', { booksDone: 0, booksTotal: 0, errors: 0, ratePerS: 0 }, 'Scanning Comics  0/0 books'],
  [
    'a name that would steer the terminal',
    { libraryName: 'a\u001b[2J\nb', errors: 0, ratePerS: 0 },
    'Scanning a?[2J?b  412/1000 books',
  ],
  ['books are read', {}, 'Scanning Comics  412/1000 books  38/s  about 16 s left  2 warnings'],
  [
    'covers are made',
    { phase: 'covers', errors: 0 },
    'Making covers of Comics  412/1000 covers  38/s  about 16 s left',
  ],
  ['it goes slowly', { ratePerS: 0.25, errors: 0 }, 'Scanning Comics  412/1000 books  0.3/s  about 39 min left'],
  ['it goes very slowly', { ratePerS: 0.04, errors: 0 }, 'Scanning Comics  412/1000 books  about 4 h left'],
  ['it takes hours', { booksTotal: 1_000_000, errors: 0 }, 'Scanning Comics  412/1000000 books  38/s  about 7 h left'],
  [
    'it takes days',
    { booksTotal: 1_000_000, ratePerS: 1, errors: 0 },
    'Scanning Comics  412/1000000 books  1/s  about 12 days left',
  ],
  ['the end is near', { booksDone: 999, errors: 0 }, 'Scanning Comics  999/1000 books  38/s  almost done'],
  [
    'files are looked for',
    { phase: 'discovering', errors: 0, ratePerS: 1234.5 },
    'Looking through Comics  1000 files found  1235/s',
  ],
  ['nothing is found yet', { phase: 'discovering', errors: 0, ratePerS: 0, filesFound: 0 }, 'Looking through Comics'],
  [
    'one file is found',
    { phase: 'discovering', errors: 0, ratePerS: 0, filesFound: 1 },
    'Looking through Comics  1 file found',
  ],
];

/** An output that keeps what is written, and a clock that is moved by hand. */
const rig = (isTTY: boolean, columns: number) => {
  const written: string[] = [];
  const time = { ms: 1_000_000 };
  const out = { isTTY, columns, write: (text: string) => written.push(text) };
  return { written, time, writer: createProgressWriter(out, { now: () => time.ms, elapsed: () => time.ms }) };
};

block('progress line', (check) => {
  for (const [fact, over, want] of LINES) check(`${fact}: ${want}`, () => assert.is(progressLine(status(over)), want));
  check('a long name is shortened before the numbers', () => {
    const line = progressLine(status({ libraryName: 'An exceedingly long library name' }), 76);
    assert.is(line, 'Scanning An exceedingly …  412/1000 books  38/s  about 16 s left  2 warnings');
    assert.is(line.length, 76);
  });
  check('wide letters count twice', () => {
    assert.is(
      progressLine(status({ libraryName: '漫画図書館', ratePerS: 0, errors: 0 }), 34),
      'Scanning 漫画図書…  412/1000 books',
    );
  });
  check('no width is too small', () => {
    for (const columns of [0, 1, 5, 20]) assert.ok(progressLine(status(), columns).length <= columns);
  });
  check('a terminal gets one line that is redrawn at most ten times a second', () => {
    const { written, time, writer } = rig(true, 80);
    writer.show(status());
    writer.show(status({ booksDone: 413 }));
    time.ms += 100;
    writer.show(status({ booksDone: 999, errors: 0 }));
    assert.is(written.length, 2);
    assert.ok(written.every((text) => text.startsWith('\r') && !text.includes('\n')));
    assert.is(written[0]?.length, written[1]?.length, 'the shorter line covers the longer one');
    writer.clear();
    assert.match(written.at(-1) ?? '', /^\r +\r$/);
    writer.clear();
    assert.is(written.length, 3, 'nothing is left to wipe');
    writer.show(status());
    writer.end(status({ booksDone: 1000 }));
    assert.is(written.at(-1), '\n');
  });
  check('a line never fills the last column', () => {
    const { written, writer } = rig(true, 30);
    writer.show(status());
    assert.is(written[0]?.length, 1 + 29);
  });
  check('anything else gets whole lines, at most one in five seconds, none twice', () => {
    const { written, time, writer } = rig(false, 80);
    writer.show(status());
    time.ms += 4999;
    writer.show(status({ booksDone: 500 }));
    assert.is(written.length, 1);
    time.ms += 1;
    writer.show(status({ booksDone: 600 }));
    writer.clear();
    writer.end(status({ booksDone: 1000 }));
    writer.end(status({ booksDone: 1000 }));
    assert.is(written.length, 3);
    assert.ok(written.every((text) => text.endsWith('\n') && !text.includes('\r')));
  });
});
