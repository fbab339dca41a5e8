// OPDS-PSE: pages one by one, as apps ask for them.
import { assert, block } from '../kit.js';
import { feedFrom, local } from './reader.js';
import { ODD, type OpdsShelf, opdsShelf, PAGES } from './shelf.js';
import { type FeedElement, feedIn } from './xml.js';

let shelf: OpdsShelf;

const feedAt = (path: string): Promise<FeedElement> => feedFrom(shelf, path);
const zot = (): string => `/opds/v1.2/series/${shelf.series.get('Zot')}`;

block(
  'OPDS-PSE',
  (check) => {
    check('pages are templated, numbered from 0, and plain images', async () => {
      const feed = await feedAt(zot());
      const { href, type, attributes } = feed.entries[0]?.link('http://vaemendis.net/opds-pse/stream') ?? { href: '' };
      assert.equal([type, attributes?.['pse:count']], ['image/jpeg', String(PAGES)]);
      assert.match(href, /\{pageNumber\}\?.*\{maxWidth\}$/);
      const at = (page: number, width = '800'): string =>
        local(href.replace('{pageNumber}', String(page)).replace('{maxWidth}', width));
      for (let page = 0; page < PAGES; page += 1)
        assert.is((await shelf.get(at(page))).header('content-type'), 'image/png');
      assert.is((await shelf.get(at(PAGES))).status, 404);
      assert.is((await shelf.get(at(0, '{maxWidth}'))).status, 200, 'an app that knows no widths');
      const [first, counted] = [at(0).split('?')[0], await shelf.get(`/opds/v1.2/books/${shelf.books[0]}/pages/1`)];
      assert.is((await shelf.get(first ?? '')).status, 404, 'without the parameter they count from 1');
      assert.equal(counted.bytes, (await shelf.get(at(0))).bytes);
    });
    check('whatever its type, a page is sent as JPEG, PNG or GIF', async () => {
      const feed = await feedAt(`/opds/v1.2/series/${shelf.series.get(ODD)}`);
      const entry = feed.entries.find((one) => one.text('title')?.includes('image-formats'));
      const stream = entry?.link('http://vaemendis.net/opds-pse/stream');
      const types = new Set<string>();
      for (let page = 0; page < Number(stream?.attributes['pse:count']); page += 1) {
        const { status, header } = await shelf.get(local(stream?.href.replace('{pageNumber}', String(page)) ?? ''));
        if (status === 200) types.add(header('content-type') ?? '');
      }
      assert.equal(
        [...types].filter((type) => !['image/jpeg', 'image/png', 'image/gif'].includes(type)),
        [],
      );
      assert.ok(types.size > 1);
    });
    check('text that flows has no pages, an EPUB of images and a PDF have', async () => {
      const feed = await feedAt(`/opds/v1.2/series/${shelf.series.get(ODD)}`);
      const streamed = (name: string): boolean =>
        feed.entries
          .find((one) => one.link('http://opds-spec.org/acquisition').href.includes(name))
          ?.links.some(({ rel }) => rel === 'http://vaemendis.net/opds-pse/stream') ?? false;
      assert.equal(['incomplete-theft.epub', 'comic-fxl-rtl.epub', 'four-pages.pdf', 'haruko.cbr'].map(streamed), [
        false,
        true,
        true,
        true,
      ]);
    });
    check('the pages of a book are also a feed', async () => {
      const answer = await shelf.get(`/opds/books/${shelf.books[0]}/pages`);
      const feed = feedIn(answer.bytes.toString());
      assert.is(feed.entries.length, PAGES);
      assert.is(
        (await shelf.get(local(feed.entries[4]?.link('http://vaemendis.net/opds-pse/page').href ?? ''))).status,
        200,
      );
    });
    check('what was read is told: the page, counted from 1, and when', async () => {
      await shelf.api('PUT', `/books/${shelf.books[1]}/progress`, { current_page: 3 });
      const { attributes } = (await feedAt(zot())).entries[1]?.link('http://vaemendis.net/opds-pse/stream') ?? {};
      assert.is(attributes?.['pse:lastRead'], '3');
      assert.match(attributes?.['pse:lastReadDate'] ?? '', /Z$/);
      assert.equal(
        (await feedAt('/opds/v1.2/keep-reading')).entries.map((entry) => entry.text('id')),
        [`urn:uuid:${shelf.books[1]}`],
      );
    });
    check('no fault was logged', () => assert.equal(shelf.temp.faults, []));
  },
  {
    before: async () => {
      shelf = await opdsShelf();
    },
    after: () => shelf.temp.close(),
    deadlineS: 120,
  },
);
