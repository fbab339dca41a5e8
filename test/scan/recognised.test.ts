// Books that people converted, retagged, packed anew or copied are the same books, with all that people did to them.

import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { writeComicEpub } from '../../bench/epub-writer.js';
import { writeRar } from '../../bench/rar-writer.js';
import { writeZip } from '../../bench/zip-writer.js';
import { hasCommand, NO_BSDTAR } from '../commands.js';
import { assert, block } from '../kit.js';
import { writeTar } from '../tar-writer.js';
import { type ChangingShelf, comicInfo, paged, picture, withChangingShelf } from './changing-shelf.js';

type Use = (shelf: ChangingShelf, id: string) => Promise<void>;

const asRar = (work: string, count: number, isPacked = false): Buffer =>
  writeRar(paged(work, count), { isPacked, isSolid: false });

/** Others, so that the book is not most of the library. */
const stock = (shelf: ChangingShelf): void => {
  for (let n = 1; n <= 4; n += 1) shelf.write(`Beta/Beta ${n}.cbz`, paged(`beta ${n}`, 6));
};

/** A book of eight pages at this path, read to page 5 and in a list. */
const onPageFive = (path: string, bytes: Buffer, use: Use): Promise<void> =>
  withChangingShelf(async (shelf) => {
    stock(shelf);
    shelf.put(path, bytes);
    await shelf.scan();
    const { id } = await shelf.book(path);
    await shelf.read(id, 5);
    assert.is((await shelf.api('PATCH', `/books/${id}/metadata`, { title: 'My title' })).status, 200);
    await use(shelf, id);
  });

const isIt = async (shelf: ChangingShelf, id: string, path: string, page = 5): Promise<void> => {
  const book = await shelf.book(path);
  assert.is(book.id, id, `${path} is the book`);
  assert.is(book.title, 'My title');
  assert.is((await shelf.progress(id))?.currentPage, page);
};

const ZIP = writeZip(paged('alpha', 8));
const RETAGGED = writeZip([...paged('alpha', 8), comicInfo('Tagged')]);

block('books in other files', (check) => {
  for (const isPacked of [false, true])
    check(`cbr becomes cbz, ${isPacked ? 'packed' : 'stored'}`, () =>
      onPageFive('Alpha/Alpha 1.cbr', asRar('alpha', 8, isPacked), async (shelf, id) => {
        shelf.put('Alpha/Alpha 1.cbz', ZIP);
        rmSync(shelf.path('Alpha/Alpha 1.cbr'));
        await shelf.scan();
        await isIt(shelf, id, 'Alpha 1.cbz');
        assert.is((await shelf.book('Alpha 1.cbz')).pageCount, 8);
        assert.is((await shelf.api('GET', `/books/${id}/pages/8`)).status, 200);
      }),
    );
  check('cbr becomes cbz under another name, though no page of either is named like an image', () => {
    const unnamed = paged('alpha', 8).map((page, index) => ({ ...page, name: `page ${index + 1}` }));
    const rar = writeRar(unnamed, { isPacked: false, isSolid: false });
    return onPageFive('Alpha/Alpha 1.cbr', rar, async (shelf, id) => {
      shelf.put('Alpha/First volume.cbz', writeZip(unnamed));
      rmSync(shelf.path('Alpha/Alpha 1.cbr'));
      await shelf.scan();
      await isIt(shelf, id, 'First volume.cbz');
    });
  });
  for (const [fact, to] of [
    ['cbz becomes cbt', 'Alpha/Alpha 1.cbt'],
    ['cbz becomes cbt under another name, in another folder', 'Gamma/Omega.cbt'],
  ] as const)
    check(`${fact}, and cbz again`, () =>
      onPageFive('Alpha/Alpha 1.cbz', ZIP, async (shelf, id) => {
        shelf.put(to, writeTar(paged('alpha', 8)));
        rmSync(shelf.path('Alpha/Alpha 1.cbz'));
        await shelf.scan();
        await isIt(shelf, id, to);
        assert.is((await shelf.api('GET', `/books/${id}/pages/8`)).status, 200);
        rmSync(shelf.path(to));
        shelf.put('Delta/Back.cbz', RETAGGED);
        await shelf.scan();
        await isIt(shelf, id, 'Delta/Back.cbz');
      }),
    );
  check('cbr becomes cbz while its images are compressed anew: the name and the number of pages are left', () =>
    onPageFive('Alpha/Alpha 1.cbr', asRar('alpha', 8), async (shelf, id) => {
      shelf.write('Alpha/Alpha 1.cbz', paged('smaller', 8));
      rmSync(shelf.path('Alpha/Alpha 1.cbr'));
      await shelf.scan();
      await isIt(shelf, id, 'Alpha 1.cbz');
    }),
  );
  check('a book of the same name with another number of pages is another book', () =>
    onPageFive('Alpha/Alpha 1.cbr', asRar('alpha', 8), async (shelf, id) => {
      shelf.write('Alpha/Alpha 1.cbz', paged('other', 9));
      rmSync(shelf.path('Alpha/Alpha 1.cbr'));
      await shelf.scan();
      assert.ok((await shelf.book('Alpha 1.cbz')).id !== id);
    }),
  );
  for (const [fact, pages, isSame] of [
    ['with a cover of its own in front', ['cover', 'smaller'], true],
    ['with the same number of pages', ['smaller'], true],
    ['with two pages more', ['cover', 'title', 'smaller'], false],
  ] as const)
    check(`cbr becomes an EPUB of images ${fact}: ${isSame ? 'the same' : 'another'} book`, () =>
      onPageFive('Alpha/Alpha 1.cbr', asRar('alpha', 8), async (shelf, id) => {
        const [work = '', ...added] = [...pages].toReversed();
        const images = [...added.map((name) => picture(name)), ...paged(work, 8).map(({ bytes }) => bytes)];
        shelf.put('Alpha/Alpha 1.kepub.epub', writeComicEpub('Alpha 1', images));
        rmSync(shelf.path('Alpha/Alpha 1.cbr'));
        await shelf.scan();
        if (isSame) await isIt(shelf, id, 'Alpha 1.kepub.epub');
        else assert.ok((await shelf.book('Alpha 1.kepub.epub')).id !== id);
      }),
    );
  check('a book of the same name and number of pages in another folder is another book', () =>
    onPageFive('Alpha/Chapter 1.cbr', asRar('alpha', 8), async (shelf, id) => {
      shelf.write('Gamma/Chapter 1.cbz', paged('gamma', 8));
      rmSync(shelf.path('Alpha/Chapter 1.cbr'));
      await shelf.scan();
      const other = await shelf.book('Chapter 1.cbz');
      assert.ok(other.id !== id);
      assert.is(await shelf.progress(other.id), undefined);
    }),
  );
  check('converted to a path at which another book was deleted', () =>
    onPageFive('Alpha/Alpha 1.cbr', asRar('alpha', 8), async (shelf, id) => {
      shelf.write('Alpha/Alpha 1.cbz', paged('older', 9));
      await shelf.scan();
      rmSync(shelf.path('Alpha/Alpha 1.cbz'));
      await shelf.scan();
      shelf.put('Alpha/Alpha 1.cbz', ZIP);
      rmSync(shelf.path('Alpha/Alpha 1.cbr'));
      await shelf.scan();
      await isIt(shelf, id, 'Alpha 1.cbz');
    }),
  );
  check('converted after a scan has missed it', () =>
    onPageFive('Alpha/Alpha 1.cbr', asRar('alpha', 8), async (shelf, id) => {
      rmSync(shelf.path('Alpha/Alpha 1.cbr'));
      await shelf.scan();
      shelf.put('Alpha/Alpha 1.cbz', ZIP);
      await shelf.scan();
      await isIt(shelf, id, 'Alpha 1.cbz');
    }),
  );
  check('renamed, retagged and moved at once', () =>
    onPageFive('Alpha/Alpha 1.cbz', ZIP, async (shelf, id) => {
      rmSync(shelf.path('Alpha/Alpha 1.cbz'));
      shelf.put('Gamma/Gamma 7.cbz', RETAGGED);
      await shelf.scan();
      await isIt(shelf, id, 'Gamma 7.cbz');
      rmSync(shelf.path('Gamma/Gamma 7.cbz'));
      await shelf.scan();
      shelf.put('Delta/One.cbz', writeZip([comicInfo('Tagged again'), ...paged('alpha', 8)]));
      await shelf.scan();
      await isIt(shelf, id, 'One.cbz');
    }),
  );
  check('renamed, with a page of credits in front: the reader stays on the page', () =>
    onPageFive('Alpha/Alpha 1.cbz', ZIP, async (shelf, id) => {
      rmSync(shelf.path('Alpha/Alpha 1.cbz'));
      shelf.write('Alpha/Omega.cbz', [{ name: 'a.png', bytes: picture('credits') }, ...paged('alpha', 8)]);
      await shelf.scan();
      await isIt(shelf, id, 'Omega.cbz', 6);
    }),
  );
  const packed = 'packed anew by other tools, under other names of pages';
  if (!hasCommand('bsdtar', '--version')) check.skip(packed, NO_BSDTAR);
  else
    check(packed, () =>
      onPageFive('Alpha/Alpha 1.cbz', ZIP, async (shelf, id) => {
        const pages = `${shelf.temp.folder}/unpacked`;
        mkdirSync(pages);
        execFileSync('bsdtar', ['-xf', shelf.path('Alpha/Alpha 1.cbz'), '-C', pages]);
        for (let n = 1; n <= 8; n += 1) renameSync(`${pages}/p${n}.png`, `${pages}/scan-00${n}.png`);
        rmSync(shelf.path('Alpha/Alpha 1.cbz'));
        execFileSync('bsdtar', ['-a', '-cf', shelf.path('Alpha/New.zip'), '-C', pages, ...readdirSync(pages)]);
        renameSync(shelf.path('Alpha/New.zip'), shelf.path('Alpha/New.cbz'));
        await shelf.scan();
        await isIt(shelf, id, 'New.cbz');
      }),
    );
  check('copied, scanned, and then the original is deleted', () =>
    onPageFive('Alpha/Alpha 1.cbz', ZIP, async (shelf, id) => {
      mkdirSync(dirname(shelf.path('Copies/x')), { recursive: true });
      copyFileSync(shelf.path('Alpha/Alpha 1.cbz'), shelf.path('Copies/Copy.cbz'));
      await shelf.scan();
      await shelf.scan();
      assert.ok((await shelf.book('Copy.cbz')).id !== id);
      rmSync(shelf.path('Alpha/Alpha 1.cbz'));
      await shelf.scan();
      await isIt(shelf, id, 'Copy.cbz');
      assert.is((await shelf.books()).length, 5);
    }),
  );
  check('converted, scanned, and then the original is deleted', () =>
    onPageFive('Alpha/Alpha 1.cbr', asRar('alpha', 8), async (shelf, id) => {
      shelf.put('Alpha/Alpha 1.cbz', ZIP);
      await shelf.scan();
      rmSync(shelf.path('Alpha/Alpha 1.cbr'));
      await shelf.scan();
      await isIt(shelf, id, 'Alpha 1.cbz');
    }),
  );
  check('a copy that was read as well keeps its record, and gets the further place, the lists and the edits', () =>
    onPageFive('Alpha/Alpha 1.cbz', ZIP, async (shelf, id) => {
      shelf.put('Copies/Copy.cbz', RETAGGED);
      const { id: list } = (await shelf.api('POST', '/readlists', { name: 'List' })).json;
      await shelf.api('POST', `/readlists/${list}/books`, { bookIds: [id] });
      await shelf.scan();
      const copy = await shelf.book('Copy.cbz');
      await shelf.read(copy.id, 2);
      rmSync(shelf.path('Alpha/Alpha 1.cbz'));
      await shelf.scan();
      await isIt(shelf, copy.id, 'Copy.cbz');
      const { json } = await shelf.api('GET', `/readlists/${list}/books`);
      assert.equal(
        (json.data ?? json).map((row: { id: string }) => row.id),
        [copy.id],
      );
      assert.is((await shelf.api('GET', `/books/${id}`)).status, 404);
    }),
  );
  check('a copy that was read further stays where it is, and a finished original stays finished', () =>
    onPageFive('Alpha/Alpha 1.cbz', ZIP, async (shelf, id) => {
      shelf.put('Copies/Copy.cbz', RETAGGED);
      await shelf.scan();
      const copy = await shelf.book('Copy.cbz');
      await shelf.read(copy.id, 7);
      rmSync(shelf.path('Alpha/Alpha 1.cbz'));
      await shelf.scan();
      await isIt(shelf, copy.id, 'Copy.cbz', 7);
      shelf.put('Alpha/Third.cbz', ZIP);
      await shelf.scan();
      const third = await shelf.book('Third.cbz');
      await shelf.read(third.id, 1);
      await shelf.read(copy.id, 8);
      rmSync(shelf.path('Copies/Copy.cbz'));
      await shelf.scan();
      const now = await shelf.progress(third.id);
      assert.equal([now?.currentPage, now?.completed, id !== third.id], [8, true, true]);
    }),
  );
  check('between two copies nothing is guessed, and the progress waits for its file', () =>
    onPageFive('Alpha/Alpha 1.cbz', ZIP, async (shelf, id) => {
      shelf.put('Copies/One.cbz', RETAGGED);
      shelf.put('Copies/Two.cbz', RETAGGED);
      await shelf.scan();
      rmSync(shelf.path('Alpha/Alpha 1.cbz'));
      await shelf.scan();
      for (const name of ['One.cbz', 'Two.cbz'])
        assert.is(await shelf.progress((await shelf.book(name)).id), undefined);
      shelf.put('Alpha/Alpha 1.cbz', ZIP);
      await shelf.scan();
      await isIt(shelf, id, 'Alpha 1.cbz');
    }),
  );
  check('chapters with the same advertisements as their largest pages are not confused', () =>
    withChangingShelf(async (shelf) => {
      stock(shelf);
      const ads = [1, 2, 3].map((n) => ({ name: `z${n}.png`, bytes: picture(`ad ${n}`.padEnd(900 + n, '=')) }));
      shelf.write('Alpha/Chapter 1.cbz', [...paged('one', 8), ...ads]);
      await shelf.scan();
      const { id } = await shelf.book('Chapter 1.cbz');
      await shelf.read(id, 5);
      rmSync(shelf.path('Alpha/Chapter 1.cbz'));
      const second = paged('another', 8);
      shelf.write('Alpha/Chapter 2.cbz', [...second, ...ads]);
      await shelf.scan();
      const other = await shelf.book('Chapter 2.cbz');
      assert.ok(other.id !== id);
      assert.is(await shelf.progress(other.id), undefined);
    }),
  );
  check('a whole series is converted: every book keeps its record, and the series too', () =>
    withChangingShelf(async (shelf) => {
      stock(shelf);
      for (let n = 1; n <= 12; n += 1) shelf.put(`Alpha/Alpha ${n}.cbr`, asRar(`alpha ${n}`, 5));
      await shelf.scan();
      const before = new Map((await shelf.books()).map((book) => [book.title, book]));
      for (let n = 1; n <= 12; n += 1) {
        rmSync(shelf.path(`Alpha/Alpha ${n}.cbr`));
        shelf.write(`Alpha/Alpha ${n}.cbz`, paged(`alpha ${n}`, 5));
      }
      await shelf.scan();
      for (const { title, id, seriesId } of await shelf.books())
        assert.equal([id, seriesId], [before.get(title)?.id, before.get(title)?.seriesId], title);
    }),
  );
});
