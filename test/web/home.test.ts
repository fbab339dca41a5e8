// The start page in a real browser after a very long series was added: what else is new stays there.
import { join } from 'node:path';
import { until, writeBook } from '../app.js';
import { assert, block } from '../kit.js';
import { checkInBrowser } from './browser.js';
import { isShown } from './reader/in-page.js';
import { type Shelves, shelves } from './shelves.js';

const CHAPTERS = 420;
const OTHERS = ['Harbour', 'Lantern', 'Mist'] as const;

let on: Shelves;

block(
  'the start page after a long series was added',
  (check) => {
    checkInBrowser(check, 'its chapters share one card, with their number, and the other new series follow', () =>
      on.at('/', async ({ page }) => {
        const shelf = page.getByRole('region', { name: 'Recently added' });
        await shelf.getByRole('link', { name: `Tower ${CHAPTERS} new books` }).waitFor();
        for (const name of OTHERS) await shelf.getByRole('link', { name: new RegExp(name) }).waitFor();
        assert.is(await shelf.getByRole('link').count(), 1 + OTHERS.length);
      }),
    );
    checkInBrowser(check, 'a tap on a book that is begun reads on in it', async () => {
      const { id } = on.bookOf('one');
      await on.api('PUT', `/books/${id}/progress`, { currentPage: 1 });
      await on.at('/', async ({ page }) => {
        await page.getByRole('region', { name: 'Continue reading' }).getByRole('link').first().click();
        await page.waitForURL(`**/read/${id}`);
        await isShown(page, [1]);
        await page.keyboard.press('Escape');
        await page.getByRole('region', { name: 'Continue reading' }).waitFor();
      });
    });
    checkInBrowser(check, 'who may not add libraries is told so, in words', async () => {
      const account = {
        username: 'rita',
        email: 'rita@example.org',
        password: 'Gulls over the pier 4!',
        role: 'reader',
      };
      await on.api('POST', '/users', account);
      await on.at('/', async ({ page, context }) => {
        await context.clearCookies();
        const data = { username: account.username, password: account.password, cookie: true };
        await context.request.post(`${on.program.address}/api/v1/auth/login`, { data });
        await page.goto(`${on.program.address}/libraries/new`);
        await page.getByText('Only administrators can add libraries.').waitFor();
      });
    });
  },
  {
    before: async () => {
      on = await shelves(OTHERS.map((name) => `${name}/one`));
      for (let at = 1; at <= CHAPTERS; at += 1)
        writeBook(join(on.folder, 'comics', 'Tower', `Tower ${String(at).padStart(3, '0')}.cbz`), 1, `${at}`);
      const { json } = await on.api('GET', '/libraries');
      const [library] = (json as { data: readonly { id: string }[] }).data;
      await on.api('POST', `/libraries/${library?.id}/scan`);
      await until('all are known', async () => {
        const { json: books } = await on.api('GET', '/books?pageSize=1');
        return (books as { total: number }).total === CHAPTERS + OTHERS.length;
      });
    },
    after: () => on?.close(),
    deadlineS: 120,
  },
);
