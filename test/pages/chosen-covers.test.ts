// Covers that are chosen rather than uploaded: a page of a book, and the cover of a book for its series or a list. Nobody sees of them what
// is hidden from them.
import { SYSTEM } from '../../core/store/feed.js';
import { reportChanged } from '../changed-rows.js';
import { image } from '../form.js';
import { assert, block } from '../kit.js';
import { type CoverShelf, coverShelf, sizeOf } from './cover-shelf.js';

const SMALL = image('png-palette-alpha.png');

let shelf: CoverShelf;
let ants: readonly string[] = [];
let bees: readonly string[] = [];

const source = (path: string, text: unknown, token?: string) =>
  shelf.api('PATCH', `${path}/cover/source`, { body: { source: text }, ...(token === undefined ? {} : { token }) });
const shown = async (path: string, token = shelf.token): Promise<string> =>
  sizeOf(await shelf.api('GET', `${path}/thumbnail`, { token }));
const seriesOf = async (title: string) => (await shelf.api('GET', `/series/${shelf.series[title]}`)).json;

block(
  'chosen covers',
  (check) => {
    check('a source that is none is refused, and so is one of another kind', async () => {
      const [series, book] = [`/series/${shelf.series.Ants}`, `/books/${ants[0]}`];
      for (const text of ['', 'first', 'book:', 'book:1', 'page:1', `book:${ants[0]} `, 1, null, undefined])
        assert.is((await source(series, text)).status, 400, String(text));
      for (const text of ['page:0', 'page:-1', 'page:1.5', 'page:', `book:${ants[0]}`, 'page:1234567890'])
        assert.is((await source(book, text)).status, 400, text);
      assert.is((await source(book, 'page:3')).status, 404, 'the book has two pages');
      assert.is((await source(series, 'custom')).status, 404, 'nothing was uploaded');
      assert.is((await source(series, 'book:01890000-0000-7000-8000-000000000000')).status, 404);
      assert.is((await source(series, `book:${bees[0]}`)).status, 404, 'a book of another series');
      assert.is((await source(series, 'default', await shelf.temp.tokenOf('reader'))).status, 403);
      assert.is((await seriesOf('Ants')).selectedCoverSource, null);
      assert.equal(shelf.files(), []);
    });
    check('a page becomes the cover of its book; the same page again takes the place of the first', async () => {
      const path = `/books/${ants[0]}`;
      const before = (await shelf.api('GET', `${path}/thumbnail`)).header('etag');
      assert.equal((await source(path, 'page:2')).json, { source: 'page:2' });
      assert.is.not((await shelf.api('GET', `${path}/thumbnail`)).header('etag'), before);
      await source(path, 'page:1');
      await source(path, 'page:2');
      const { covers, source: now } = (await shelf.api('GET', `${path}/covers`)).json;
      assert.is(now, 'page:2');
      assert.equal(
        covers.map((cover: { source: string; isSelected: boolean }) => [cover.source, cover.isSelected]),
        [
          ['page:1', false],
          ['page:2', true],
        ],
      );
      await shelf.temp.app.uploadedCovers.discardGone();
      assert.is(shelf.files().length, 2, 'the image of the first one is gone');
      await source(path, 'default');
      assert.is((await shelf.api('GET', `${path}/thumbnail`)).header('etag'), before);
    });
    check('a key that may not read pages makes no cover of one', async () => {
      const body = { name: 'no pages', permissions: ['BooksRead', 'BooksWrite'] };
      const { key } = (await shelf.api('POST', '/api-keys', { body })).json;
      assert.is((await source(`/books/${ants[0]}`, 'page:1', key)).status, 403);
    });
    check('the cover of a book represents its series while it is one of its books', async () => {
      const path = `/series/${shelf.series.Ants}`;
      const made = (await shelf.upload(`/books/${ants[1]}`, SMALL)).json;
      assert.is(await shown(path), '1x1');
      assert.equal((await source(path, `book:${ants[1]?.toUpperCase()}`)).json, { source: `book:${ants[1]}` });
      assert.is(await shown(path), '400x267');
      const { hasCustomCover, selectedCoverSource } = await seriesOf('Ants');
      assert.equal([hasCustomCover, selectedCoverSource], [false, `book:${ants[1]}`]);
      assert.equal((await shelf.api('GET', `${path}/covers`)).json, { covers: [], source: `book:${ants[1]}` });
      await shelf.temp.app.db.write(SYSTEM, 'interactive', async (tx) => {
        await tx.run(`UPDATE book SET deleted = 1 WHERE uuid = unhex(?)`, [(ants[1] ?? '').replaceAll('-', '')]);
        await reportChanged(tx);
      });
      assert.is(await shown(path), '1x1', 'the file is gone');
      assert.is((await seriesOf('Ants')).selectedCoverSource, null);
      await shelf.temp.app.db.write(SYSTEM, 'interactive', async (tx) => {
        await tx.run(`UPDATE book SET deleted = 0`);
        await reportChanged(tx);
      });
      assert.is(await shown(path), '400x267', 'and back');
      assert.is(made.isSelected, true);
    });
    check('an uploaded cover of a series is shown in its record', async () => {
      const path = `/series/${shelf.series.Bees}`;
      const made = (await shelf.upload(path, SMALL)).json;
      const record = await seriesOf('Bees');
      assert.equal([record.hasCustomCover, record.selectedCoverSource], [true, 'custom']);
      await source(path, 'default');
      const after = await seriesOf('Bees');
      assert.equal([after.hasCustomCover, after.selectedCoverSource], [true, null]);
      await shelf.api('DELETE', `${path}/covers/${made.id}`);
      assert.is((await seriesOf('Bees')).hasCustomCover, false);
    });
    check(
      'a list is represented by a chosen book for those who may see the book, and by what they see for others',
      async () => {
        const everything = await shelf.temp.tokenOf('reader');
        const limited = await shelf.temp.tokenOf('reader');
        const { user } = await shelf.temp.app.callers.byToken(limited);
        const tag = (await shelf.api('POST', '/admin/sharing-tags', { body: { name: 'hidden' } })).json.id;
        const series = shelf.series.Ants;
        const lists = await shelf.lists(['Ants', 'Bees'], [ants[1] ?? '', bees[0] ?? '']);
        for (const path of lists) assert.is((await source(path, `book:${ants[1]}`)).status, 200);
        for (const path of lists) assert.is(await shown(path, limited), '400x267');
        await shelf.api('POST', `/series/${series}/sharing-tags`, { body: { sharingTagId: tag } });
        const grant = { sharingTagId: tag, accessMode: 'deny' };
        await shelf.api('PUT', `/users/${user.id}/sharing-tags`, { body: grant });
        for (const path of lists) {
          assert.is(await shown(path, limited), '1x1', path);
          assert.is(await shown(path, everything), '400x267');
          const told = (await shelf.api('GET', `${path}/covers`, { token: limited })).json;
          assert.equal(told, { covers: [], source: 'default' }, 'nothing tells of the hidden book');
        }
        for (const path of [`/series/${series}`, `/books/${ants[1]}`])
          assert.is((await shelf.api('GET', `${path}/covers`, { token: limited })).status, 404);
      },
    );
    check('a maintainer can neither choose nor upload what is hidden from him', async () => {
      const token = await shelf.temp.tokenOf('maintainer');
      const { user } = await shelf.temp.app.callers.byToken(token);
      const { data } = (await shelf.api('GET', '/admin/sharing-tags')).json;
      const grant = { sharingTagId: data[0].id, accessMode: 'deny' };
      await shelf.api('PUT', `/users/${user.id}/sharing-tags`, { body: grant });
      const [, list] = await shelf.lists(['Bees'], [bees[0] ?? '']);
      assert.is((await source(list, `book:${ants[1]}`, token)).status, 404);
      assert.is((await source(`/series/${shelf.series.Ants}`, 'default', token)).status, 404);
      assert.is((await source(`/books/${ants[0]}`, 'page:1', token)).status, 404);
    });
    check('no fault was reported', () => assert.equal(shelf.temp.faults, []));
  },
  {
    before: async () => {
      shelf = await coverShelf();
      ants = await shelf.books('Ants');
      bees = await shelf.books('Bees');
    },
    after: () => shelf.temp.close(),
  },
);
