// Books under another name with other names of pages, of which one or two were added, removed or replaced, the largest ones among them.

import { execFileSync } from 'node:child_process';
import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import type { ZipItem } from '../../bench/zip-writer.js';
import { hasCommand, NO_BSDTAR } from '../commands.js';
import { assert, block } from '../kit.js';
import { writeTar } from '../tar-writer.js';
import { type ChangingShelf, paged, pageOf, picture, withChangingShelf } from './changing-shelf.js';

const large = (words: string, extra = 0): Buffer => picture(words.padEnd(4000 + extra, '='));

const renamed = (bytes: readonly Buffer[]): ZipItem[] =>
  bytes.map((page, at) => ({ name: `scan/${String(at + 1).padStart(3, '0')}.png`, bytes: page }));

const pagesOf = (work: string, count: number): Buffer[] =>
  Array.from({ length: count }, (_, at) => pageOf(work, at + 1));

/** A book of these pages, read to page 4, is gone in a scan that finds other files. */
const replaced = (
  before: readonly Buffer[],
  after: (shelf: ChangingShelf) => void,
  use: (shelf: ChangingShelf, id: string) => Promise<void>,
): Promise<void> =>
  withChangingShelf(async (shelf) => {
    for (let n = 1; n <= 4; n += 1) shelf.write(`Beta/Beta ${n}.cbz`, paged(`beta ${n}`, 6));
    shelf.write('Alpha/Alpha ch 1.cbz', renamed(before));
    await shelf.scan();
    const { id } = await shelf.book('Alpha ch 1.cbz');
    await shelf.read(id, 4);
    rmSync(shelf.path('Alpha/Alpha ch 1.cbz'));
    after(shelf);
    await shelf.scan();
    await use(shelf, id);
  });

/** The new files are other books; progress waits. */
const isNoneOf = async (shelf: ChangingShelf, id: string, ...names: readonly string[]): Promise<void> => {
  for (const name of names) {
    const other = await shelf.book(name);
    assert.ok(other.id !== id, name);
    assert.is(await shelf.progress(other.id), undefined, name);
  }
};

const SIX = pagesOf('alpha', 6);
const [ONE, TWO] = [large('credits'), large('more credits', 50)];

const CASES: readonly (readonly [fact: string, before: readonly Buffer[], after: readonly Buffer[], page: number])[] = [
  ['the largest page was added at the end', SIX, [...SIX, ONE], 4],
  ['the largest page was added at the front', SIX, [ONE, ...SIX], 5],
  ['the two largest pages were added', SIX, [ONE, ...SIX, TWO], 5],
  ['the largest page was removed', [ONE, ...SIX], SIX, 3],
  ['the two largest pages were removed', [ONE, ...SIX, TWO], SIX, 3],
  ['the largest page was replaced by another', [...pagesOf('long', 9), ONE], [...pagesOf('long', 9), TWO], 4],
  ['a small page was replaced', pagesOf('long', 9), [picture('notes'), ...pagesOf('long', 9).slice(1)], 4],
  [
    'the largest page was removed and a larger one added',
    [ONE, ...pagesOf('long', 9)],
    [TWO, ...pagesOf('long', 9)],
    4,
  ],
];

block('books with other pages', (check) => {
  for (const [fact, before, after, page] of CASES)
    check(`a renamed book is recognised when ${fact}`, () =>
      replaced(
        before,
        (shelf) => shelf.write('Alpha/Omega [Group] (v2).cbz', renamed(after)),
        async (shelf, id) => {
          const book = await shelf.book('Omega [Group] (v2).cbz');
          assert.is(book.id, id);
          assert.is(book.pageCount, after.length);
          assert.is((await shelf.progress(id))?.currentPage, page);
        },
      ),
    );
  const packed = 'packed by another tool and renamed in a later scan';
  if (!hasCommand('bsdtar', '--version')) check.skip(packed, NO_BSDTAR);
  else
    check(packed, () =>
      replaced(
        SIX,
        () => undefined,
        async (shelf, id) => {
          const folder = `${shelf.temp.folder}/unpacked`;
          mkdirSync(folder);
          for (const [at, bytes] of [...SIX, ONE].entries()) writeFileSync(`${folder}/x${at}.png`, bytes);
          execFileSync('bsdtar', ['-a', '-cf', `${folder}.zip`, '-C', folder, '.']);
          renameSync(`${folder}.zip`, shelf.path('Alpha/Other.cbz'));
          await shelf.scan();
          assert.is((await shelf.book('Other.cbz')).id, id);
          assert.is((await shelf.progress(id))?.currentPage, 4);
        },
      ),
    );
  check('three pages added are too many', () =>
    replaced(
      SIX,
      (shelf) => shelf.write('Alpha/Omega.cbz', renamed([ONE, TWO, large('third', 90), ...SIX])),
      (shelf, id) => isNoneOf(shelf, id, 'Omega.cbz'),
    ),
  );
  check('between two candidates nothing is guessed', () =>
    replaced(
      SIX,
      (shelf) => {
        shelf.write('Alpha/Omega 1.cbz', renamed([...SIX, ONE]));
        shelf.write('Alpha/Omega 2.cbz', renamed([...SIX, TWO]));
      },
      (shelf, id) => isNoneOf(shelf, id, 'Omega 1.cbz', 'Omega 2.cbz'),
    ),
  );
  check('the largest page is an advertisement that many other books have too', () =>
    replaced(
      [ONE, ...SIX],
      (shelf) => {
        for (let n = 1; n <= 20; n += 1)
          shelf.write(`Gamma/Gamma ${n}.cbz`, renamed([ONE, ...pagesOf(`gamma ${n}`, 6)]));
        shelf.write('Alpha/Omega.cbz', renamed([ONE, ...SIX, TWO]));
      },
      async (shelf, id) => {
        assert.is((await shelf.book('Omega.cbz')).id, id);
        assert.is((await shelf.progress(id))?.currentPage, 4);
      },
    ),
  );
  check('a short chapter that shares its advertisements is another book', () => {
    const ads = [large('ad 1', 10), large('ad 2', 20), large('ad 3', 30)];
    return replaced(
      [...pagesOf('first', 2), ...ads],
      (shelf) => shelf.write('Alpha/Alpha ch 2.cbz', renamed([...pagesOf('second', 2), ...ads])),
      (shelf, id) => isNoneOf(shelf, id, 'Alpha ch 2.cbz'),
    );
  });
  check('as a tar with the largest page added', () =>
    replaced(
      SIX,
      (shelf) => shelf.put('Alpha/Omega.cbt', writeTar(renamed([ONE, ...SIX]))),
      async (shelf, id) => {
        assert.is((await shelf.book('Omega.cbt')).id, id);
        assert.is((await shelf.progress(id))?.currentPage, 5);
      },
    ),
  );
});
