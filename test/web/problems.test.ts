// Files with problems in a real browser: marked on their cards, counted for each library, listed with path and reason, tried again; and how a
// scan ends.
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { until, writeBook } from '../app.js';
import { assert, block, type Check } from '../kit.js';
import { complaintsOfAxe } from './axe.js';
import { checkInBrowser, PHONE } from './browser.js';
import { type Shelves, shelves } from './shelves.js';

let on: Shelves;

const pathOf = (...parts: readonly string[]): string => join(on.folder, 'comics', ...parts);

const problems = (check: Check): void => {
  checkInBrowser(
    check,
    'a book that cannot be read is marked, counted, listed with its path and reason, and tried again',
    () =>
      on.at(
        '/libraries',
        async ({ page }) => {
          await page.getByRole('link', { name: '1 book cannot be read' }).click();
          await page.getByRole('heading', { name: 'Problems with files' }).waitFor();
          const row = page.getByRole('listitem').filter({ hasText: 'broken' }).first();
          await row.getByText(pathOf('Harbour', 'broken.cbz')).waitFor();
          await row.getByText('Cannot be read · Harbour · comics').waitFor();
          await row.getByText('Reading the file:').first().waitFor();
          assert.equal(await complaintsOfAxe(page), []);
          writeFileSync(pathOf('Harbour', 'broken.cbz'), readFileSync(pathOf('Harbour', 'one.cbz')));
          await page.getByRole('button', { name: 'Try again: broken' }).click();
          await page.getByText('1 file is being read again.').waitFor();
          await page.getByText('All files can be read').waitFor();
          await page.goto(`${on.program.address}/libraries`);
          await page.getByRole('link', { name: /2 series, 3 books/ }).waitFor();
          assert.is(await page.getByText('cannot be read').count(), 0);
        },
        { viewport: PHONE, hasTouch: true },
      ),
  );
};

const badges = (check: Check): void => {
  checkInBrowser(check, 'its card says so in a series and on the start page', () =>
    on.at(`/series/${on.bookOf('one').seriesId}`, async ({ page }) => {
      await page.getByRole('link', { name: 'This book cannot be read. broken' }).waitFor();
      assert.is(await page.getByRole('link', { name: /cannot be read/ }).count(), 1);
      assert.equal(await complaintsOfAxe(page), []);
    }),
  );
};

const reader = (check: Check): void => {
  checkInBrowser(check, 'the reader says so too, and leads back to the book', () =>
    on.at(`/series/${on.bookOf('one').seriesId}`, async ({ page }) => {
      await page.getByRole('link', { name: 'This book cannot be read. broken' }).click();
      await page.waitForURL('**/books/*');
      const address = page.url();
      await page.goto(address.replace('/books/', '/read/'));
      await page.getByRole('alert').getByRole('button', { name: 'Try again' }).waitFor();
      await page.getByRole('link', { name: 'Leave the book' }).click();
      await page.waitForURL(address);
      const list = (await on.api('POST', '/readlists', { name: 'Evenings' })).json as { readonly id: string };
      await on.api('POST', `/readlists/${list.id}/books`, { bookIds: [new URL(address).pathname.split('/').at(-1)] });
      const inList = `?list=${list.id}`;
      await page.goto(address.replace('/books/', '/read/') + inList);
      await page.getByRole('link', { name: 'Leave the book' }).click();
      await page.waitForURL(address + inList);
    }),
  );
};

const scans = (check: Check): void => {
  checkInBrowser(check, 'a scan ends with a word and the time, on the screen of all libraries and of one', () =>
    on.at('/libraries', async ({ page }) => {
      await page.getByRole('button', { name: 'Scan comics' }).click();
      await page.getByText(/^Nothing new · \d\d:\d\d$/).waitFor();
      await page.getByRole('link', { name: /2 series, 3 books/ }).click();
      await page.getByRole('heading', { name: 'comics' }).waitFor();
      writeBook(pathOf('Lantern', 'four.cbz'), 2, 'four');
      mkdirSync(pathOf('Mist'), { recursive: true });
      writeBook(pathOf('Mist', 'five.cbz'), 2, 'five');
      await page.getByRole('button', { name: 'Scan comics' }).click();
      await page.getByText(/^2 new · \d\d:\d\d$/).waitFor();
      await page.getByRole('link', { name: /Mist/ }).waitFor();
      writeBook(pathOf('Mist', 'five.cbz'), 3, 'five, replaced');
      await page.getByRole('button', { name: 'Scan comics' }).click();
      await page.getByText(/^1 changed · \d\d:\d\d$/).waitFor();
      rmSync(pathOf('Mist', 'five.cbz'));
      writeBook(pathOf('Lantern', 'six.cbz'), 2, 'six');
      writeBook(pathOf('Lantern', 'four.cbz'), 3, 'four, replaced');
      await page.getByRole('button', { name: 'Scan comics' }).click();
      await page.getByText(/^1 new, 1 changed, 1 gone · \d\d:\d\d$/).waitFor();
    }),
  );
  checkInBrowser(check, 'a scan that failed or was stopped says so', () =>
    on.at('/libraries', async ({ page }) => {
      const away = `${pathOf()} away`;
      renameSync(pathOf(), away);
      await page.getByRole('button', { name: 'Scan comics' }).click();
      await page.getByText(/^The scan failed\. · \d\d:\d\d$/).waitFor();
      renameSync(away, pathOf());
      // A scan that ends before the request arrives cannot be stopped: a longer one is tried next.
      const outcome = page.getByText(/^(?:The scan was stopped\.|\d+ new) · \d\d:\d\d$/);
      for (let count = 300; ; count *= 2) {
        for (let n = 0; n < count; n += 1) writeBook(pathOf(`Many ${count}`, `${n}.cbz`), 10, `many ${count} ${n}`);
        await page.getByRole('button', { name: 'Scan comics' }).click();
        await page.getByRole('button', { name: 'Stop scan comics' }).click();
        await outcome.waitFor();
        if (count === 2400 || (await outcome.textContent())?.startsWith('The scan') === true) break;
      }
      await page.getByText(/^The scan was stopped\. · \d\d:\d\d$/).waitFor();
    }),
  );
};

block(
  'problems with files in the web client',
  (check) => {
    badges(check);
    reader(check);
    problems(check);
    scans(check);
  },
  {
    before: async () => {
      on = await shelves(['Harbour/one', 'Lantern/three']);
      writeFileSync(pathOf('Harbour', 'broken.cbz'), 'not an archive');
      const { json } = await on.api('GET', '/libraries');
      const [library] = (json as { data: readonly { id: string }[] }).data;
      await on.api('POST', `/libraries/${library?.id}/scan`);
      await until('the broken book is known', async () => {
        const { json: books } = await on.api('GET', '/books?pageSize=50');
        return (books as { data: readonly { analysisError: string | null }[] }).data.some(
          ({ analysisError }) => analysisError !== null,
        );
      });
    },
    after: () => on?.close(),
    deadlineS: 120,
  },
);
