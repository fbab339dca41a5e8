// Names: which entries are pages, in which encoding they were written, and what exclusion patterns match.

import fc from 'fast-check';
import { isJunk, isJunkPath } from '../../core/model/junk.js';
import { pagesAmong } from '../../core/model/page-names.js';
import { decodeNames } from '../../workers/formats/entry-names.js';
import { excludesOf } from '../../workers/globs.js';
import { assert, block } from '../kit.js';

/** In an archive that has other pages. */
const isPageName = (name: string): boolean =>
  pagesAmong([{ name }, { name: 'other.png' }]).some((page) => page.name === name);

const raw = (hex: string, isUtf8 = false) => ({ bytes: Buffer.from(hex, 'hex'), isUtf8, unicodePath: null });

const ENCODED: readonly (readonly [fact: string, hex: string, want: string])[] = [
  ['plain ASCII', '612e6a7067', 'a.jpg'],
  ['UTF-8 without its flag', Buffer.from('ページ 1.png').toString('hex'), 'ページ 1.png'],
  ['CP437 with one umlaut', '4b8473655f312e706e67', 'Käse_1.png'],
  ['CP437 with an umlaut before a letter that would make a kanji', '5794727465722e706e67', 'Wörter.png'],
];

block('names of entries', (check) => {
  for (const [fact, hex, want] of ENCODED) check(fact, () => assert.equal(decodeNames([raw(hex)]), [want]));
  check('Shift-JIS, recognised by second bytes that no CP437 name has', () => {
    const [name] = decodeNames([raw('91e688ea98622f955c8e862e706e67')]);
    assert.is(name, '第一話/表紙.png');
  });
  check('bytes in no particular encoding still give a name', () =>
    assert.is(decodeNames([raw('ff00fe2e6a7067')]).length, 1),
  );
  const cases: readonly (readonly [name: string, isPage: boolean])[] = [
    ['1.jpg', true],
    ['a/b/1.JPEG', true],
    ['a\\b\\1.avif', true],
    ['1.jpg/', false],
    ['__MACOSX/1.jpg', false],
    ['a/__macosx/1.jpg', false],
    ['._1.jpg', false],
    ['.hidden/1.jpg', false],
    ['Thumbs.db', false],
    ['readme.txt', false],
    ['jpg', false],
    ['../../etc/1.png', true],
    ['@eaDir/1.jpg/SYNOPHOTO_THUMB_M.jpg', false],
    ['a/.@__thumb/1.jpg', false],
    ['#recycle/1.jpg', false],
    ['@Recycle/1.jpg', false],
    ['a\\.AppleDouble\\1.jpg', false],
    ['lost+found/1.jpg', false],
    ['.yacreaderlibrary/covers/1.jpg', false],
    ['.Trash-1000/files/1.jpg', false],
    ['$RECYCLE.BIN/1.jpg', false],
    ['System Volume Information/1.jpg', false],
    ['@home/#1.jpg', true],
  ];
  for (const [name, isPage] of cases)
    check(`${name} is ${isPage ? 'a page' : 'not a page'}`, () => assert.is(isPageName(name), isPage));
});

block('what systems leave behind', (check) => {
  for (const name of ['._Book.cbz', '.Trashes', '.Trash-0', '@EADIR', '#Recycle', '@Recently-Snapshot', '.DS_Store'])
    check(`${name} is skipped`, () => assert.ok(isJunk(name)));
  for (const name of ['Book.cbz', '@home', 'recycle', 'Trash', '#1', '.hidden'])
    check(`${name} is not`, () => assert.not.ok(isJunk(name)));
  const part = fc.constantFrom(
    '',
    '.',
    '..',
    '._a',
    '.trash-1',
    '#recycle',
    '$RECYCLE.BIN',
    'a',
    'lost+found',
    'lostfound',
    'thumbsXdb',
    '@eaDir2',
  );
  check('a path is skipped when one of its parts is', () =>
    fc.assert(
      fc.property(fc.array(part, { minLength: 1, maxLength: 4 }), fc.constantFrom('/', '\\'), (parts, separator) =>
        assert.is(isJunkPath(parts.join(separator)), parts.some(isJunk)),
      ),
    ),
  );
});

/** The same as a regular expression, which is right but may take for ever: only for short texts. */
const isExcluded = (pattern: string, path: string): boolean => {
  const nameOf = (part: string): string =>
    part.replace(
      /./gsu,
      (char) => ({ '*': '[^/]*', '?': '[^/]' })[char] ?? `\\u{${char.codePointAt(0)?.toString(16)}}`,
    );
  const parts = pattern.split('/').filter((part) => part !== '');
  const ofPath = parts.map((part) => (part === '**' ? '(?:[^/]+/)*' : `${nameOf(part)}/`)).join('');
  const source = pattern.includes('/') ? ofPath : `(?:[^/]+/)*${nameOf(pattern)}/`;
  return new RegExp(`^${source}$`, 'u').test(`${path}/`);
};

const textOf = (letters: readonly string[], max: number): fc.Arbitrary<string> =>
  fc.array(fc.constantFrom(...letters), { minLength: 1, maxLength: max }).map((parts) => parts.join(''));

block('exclusion patterns', (check) => {
  const cases: readonly (readonly [patterns: string, path: string, excluded: boolean])[] = [
    ['*.tmp', 'a/b/c.tmp', true],
    ['*.TMP', 'a/c.tmp', true],
    ['@eaDir', 'x/@eadir', true],
    ['sample*', 'a/b/Sample 1.cbz', true],
    ['?.cbz', '1.cbz', true],
    ['?.cbz', '10.cbz', false],
    ['a/*.cbz', 'a/1.cbz', true],
    ['a/*.cbz', 'b/a/1.cbz', false],
    ['**/a/*.cbz', 'b/a/1.cbz', true],
    ['a/**', 'a/b/c/d.cbz', true],
    ['\n\n  \n', 'a', false],
    ['a/**', 'a', true],
    ['/a/', 'b/a', false],
    ['/a/', 'a', true],
    ['?.cbz', '\u{1f600}.cbz', true],
    ['[a]', 'a', false],
    ['[Group] *', '[group] 1.cbz', true],
    ['{a,b}', 'a', false],
  ];
  for (const [patterns, path, excluded] of cases) {
    check(`${JSON.stringify(patterns)} ${excluded ? 'leaves out' : 'keeps'} ${path}`, () =>
      assert.is(excludesOf(patterns)(path.split('/').at(-1) ?? '', path), excluded),
    );
  }
  check('random patterns and paths agree with regular expressions', () =>
    fc.assert(
      fc.property(
        textOf(['a', 'b', '*', '?', '/', '**', '/**/', '.', '\u{1f600}'], 8),
        fc.array(textOf(['a', 'b', '.', '\u{1f600}'], 4), { minLength: 1, maxLength: 4 }),
        (pattern, names) => {
          const path = names.join('/');
          assert.is(excludesOf(pattern)(names.at(-1) ?? '', path), isExcluded(pattern, path), `${pattern} on ${path}`);
        },
      ),
      { numRuns: 3000 },
    ),
  );
  check('a malicious pattern is not slow', () =>
    assert.is(excludesOf('*a*a*a*a*a*a*a*a*a*a*b')('a'.repeat(5000), 'a'.repeat(5000)), false),
  );
});
