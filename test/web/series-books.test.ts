// A long series on its screen: its order, which books are shown, and the way to a number.

import { arranged, numberTyped, placeOfNumber } from '../../http/web/client/state/series-books.js';
import { until } from '../app.js';
import { assert, block } from '../kit.js';
import { checkInBrowser, PHONE } from './browser.js';
import { type Shelves, shelves } from './shelves.js';

let on: Shelves;

const LONG = Array.from({ length: 90 }, (_, at) => `Long Road/Long Road ${String(at + 1).padStart(3, '0')}`);
const SHORT = ['Short Way/Short Way 1', 'Short Way/Short Way 2'];

const titleOf = (at: number): string => `Long Road ${String(at).padStart(3, '0')}`;

const numbered = (number: number | null, chapter: number | null = null) => ({ number, chapter, createdAt: '' });

block('the books of a series', (check) => {
  check('a number leads to its book, else to the nearest, in any order', () => {
    const books = [1, 2, 3, 7, 8].map((number) => numbered(number));
    assert.is(placeOfNumber(books, 7), 3);
    assert.is(placeOfNumber(books, 4), 2);
    assert.is(placeOfNumber(books, 900), 4);
    assert.is(placeOfNumber([...books].reverse(), 7), 1);
    assert.is(placeOfNumber([numbered(null), numbered(null, 12.5)], 12), 1);
    assert.is(placeOfNumber([numbered(null)], 1), -1);
    assert.is(placeOfNumber([], 1), -1);
  });
  check('numbers are typed with a point or a comma', () => {
    assert.is(numberTyped(' 12 '), 12);
    assert.is(numberTyped('12,5'), 12.5);
    assert.is(numberTyped('12.5'), 12.5);
    for (const text of ['', ' ', 'a', '1e3', '-1', '1.2.3', '1234567890']) assert.is(numberTyped(text), null);
  });
  check('orders keep the order of the series between equals, and what was never read comes last', () => {
    const book = (id: string, createdAt: string, readAt?: string, completed = false) => ({
      id,
      createdAt,
      ...(readAt === undefined ? {} : { readProgress: { updatedAt: readAt, completed } }),
    });
    const [day, later] = ['2026-01-01T00:00:00Z', '2026-01-02T00:00:00Z'];
    const books = [book('a', day), book('b', later, day, true), book('c', later, later), book('d', day)];
    const ids = (order: Parameters<typeof arranged>[1], status: Parameters<typeof arranged>[2] = '') =>
      arranged(books, order, status)
        .map(({ id }) => id)
        .join('');
    assert.is(ids('number,asc'), 'abcd');
    assert.is(ids('number,desc'), 'dcba');
    assert.is(ids('date_added,desc'), 'bcad');
    assert.is(ids('last_read,desc'), 'cbad');
    assert.is(ids('number,desc', 'unread'), 'da');
    assert.is(ids('number,asc', 'in_progress'), 'c');
    assert.is(ids('number,asc', 'read'), 'b');
  });
});

block(
  'a long series in a browser',
  (check) => {
    checkInBrowser(check, 'has an order and a read status, in its address, and Back undoes them', async () => {
      await on.api('POST', `/books/${on.bookOf(titleOf(1)).id}/read`);
      await on.at(`/series/${on.bookOf(titleOf(1)).seriesId}`, async ({ page }) => {
        const wall = page.getByRole('list', { name: 'Books' });
        const firstIs = (title: string): Promise<void> =>
          until(`${title} is first`, async () =>
            ((await wall.getByRole('link').first().textContent()) ?? '').includes(title),
          );
        await firstIs(titleOf(1));
        // The name of the series is on the screen once already: only screen readers hear it again.
        assert.is(await wall.locator('.card-title .visually-hidden').first().textContent(), 'Long Road ');
        await page.getByLabel('Sort by').selectOption('Last first');
        await firstIs(titleOf(90));
        await page.getByLabel('Show', { exact: true }).selectOption('Read');
        await firstIs(titleOf(1));
        assert.is(await wall.getByRole('listitem').count(), 1);
        assert.ok(page.url().endsWith('?sort=number%2Cdesc&status=read'));
        await page.reload();
        await firstIs(titleOf(1));
        await page.goBack();
        await firstIs(titleOf(90));
        await page.getByLabel('Show', { exact: true }).selectOption('In progress');
        await page.getByText('Nothing here matches this selection.').waitFor();
      });
    });
    checkInBrowser(check, 'a number that is typed leads to its book, which then has the focus', () =>
      on.at(
        `/series/${on.bookOf(titleOf(1)).seriesId}`,
        async ({ page }) => {
          await page.getByLabel('Jump to number').fill('77');
          await page.keyboard.press('Enter');
          const card = page.getByRole('link', { name: titleOf(77) });
          await until('it has the focus', () =>
            page.evaluate(`document.activeElement.textContent.includes('${titleOf(77)}')`),
          );
          const box = await card.boundingBox();
          assert.ok(box !== null && box.y > 0 && box.y < PHONE.height - 100, JSON.stringify(box));
          await page.keyboard.press('Enter');
          await page.waitForURL(`**/books/${on.bookOf(titleOf(77)).id}`);
        },
        { viewport: PHONE, hasTouch: true },
      ),
    );
    checkInBrowser(check, 'a short series has none of that', () =>
      on.at(`/series/${on.bookOf('Short Way 1').seriesId}?sort=number,desc`, async ({ page }) => {
        const wall = page.getByRole('list', { name: 'Books' });
        await wall.getByRole('link').first().waitFor();
        assert.is(await page.getByLabel('Sort by').count(), 0);
        assert.ok(((await wall.getByRole('link').first().textContent()) ?? '').includes('Short Way 1'));
      }),
    );
  },
  {
    deadlineS: 120,
    before: async () => {
      on = await shelves([...LONG, ...SHORT]);
    },
    after: () => on.close(),
  },
);
