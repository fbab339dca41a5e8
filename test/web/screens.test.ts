// Screens of the web client in a real browser: what has the focus, a session that ends while one looks, and how rows look on a phone. The
// walk through all screens has a file of its own.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { fixture } from '../../fixtures/index.js';
import { until } from '../app.js';
import { assert, block, type Check, IS_FULL } from '../kit.js';
import { kill, type Program, startProgram } from '../system/program.js';
import { complaintsOfAxe } from './axe.js';
import { checkInBrowser, PHONE, Visits } from './browser.js';

const PASSWORD = 'Fog over the harbour 7!';

let folder = '';
let program: Program;
let visits: Visits | undefined;
let book = { id: '', seriesId: '', libraryId: '' };

/** Started by the first fact that needs it. */
const browser = (): Visits => {
  visits ??= new Visits();
  return visits;
};

const ask = async (path: string, body: unknown, token?: string): Promise<unknown> => {
  const headers = {
    'content-type': 'application/json',
    ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
  };
  const sent = body === null ? {} : { method: 'POST', body: JSON.stringify(body) };
  return (await fetch(`${program.address}/api/v1${path}`, { headers, ...sent })).json();
};

const signIn = async (page: Page): Promise<void> => {
  await page.getByLabel('User name or e-mail address').fill('ann');
  await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
};

/** Whether a select is as wide as its longest option. */
const SHOWS_ALL = `(() => {
  const select = document.querySelector('.settings select');
  const { width } = select.getBoundingClientRect();
  select.style.inlineSize = 'max-content';
  const wanted = select.getBoundingClientRect().width;
  select.style.inlineSize = '';
  return width >= wanted;
})()`;

const onPhone = (check: Check): void => {
  const fact = 'on a phone, the buttons of a library are next to its name, and selects show their whole text';
  if (!IS_FULL) {
    check.skip(fact, 'only in a full run');
    return;
  }
  checkInBrowser(check, fact, () =>
    browser().at(
      program.address,
      '/sign-in?to=/libraries',
      async ({ page }) => {
        await signIn(page);
        const name = await page.getByRole('link', { name: /1 series, 1 book/ }).boundingBox();
        assert.ok(name !== null);
        const middle = name.y + name.height / 2;
        for (const button of await page.locator('.library').getByRole('button').all()) {
          const box = await button.boundingBox();
          assert.ok(box !== null && box.y < middle && box.y + box.height > middle, await button.innerHTML());
        }
        await page.goto(`${program.address}/settings`);
        await page.getByLabel('Theme').waitFor();
        assert.ok(await page.evaluate(SHOWS_ALL));
      },
      { viewport: PHONE },
    ),
  );
};

const focusAtOnce = (check: Check): void => {
  checkInBrowser(check, 'opening the search by its link or by "/" focuses its field', () =>
    browser().at(program.address, '/sign-in', async ({ page, expects }) => {
      expects('401');
      const focused = page.locator(':focus');
      await page.getByLabel('User name or e-mail address').and(focused).waitFor();
      await signIn(page);
      await page.getByText('Recently added').waitFor();
      await page.getByRole('link', { name: 'Search' }).click();
      await page.getByRole('searchbox').and(focused).waitFor();
      await page.keyboard.type('a/c');
      assert.is(await page.getByRole('searchbox').inputValue(), 'a/c');
      await page.getByRole('link', { name: 'Settings' }).click();
      await page.getByRole('button', { name: 'Sign out' }).first().waitFor();
      await page.keyboard.press('/');
      await page.getByRole('searchbox').and(focused).waitFor();
      assert.is(await page.getByRole('searchbox').inputValue(), '');
      await page.goto(`${program.address}/settings`);
      await page.getByRole('button', { name: 'Sign out' }).first().click();
      await page.getByLabel('User name or e-mail address').and(focused).waitFor();
    }),
  );
};

const sessions = (check: Check): void => {
  checkInBrowser(check, 'a session that ended is asked for again, and what was going on goes on', () =>
    browser().at(program.address, `/books/${book.id}`, async ({ page, context, expects }) => {
      expects('401');
      await page.waitForURL(/sign-in\?to=/);
      await signIn(page);
      await page.getByRole('button', { name: 'Mark as read' }).waitFor();
      assert.is(new URL(page.url()).pathname, `/books/${book.id}`);
      await context.clearCookies();
      await page.getByRole('button', { name: 'Mark as read' }).click();
      await page.getByRole('heading', { name: 'Your session has ended' }).waitFor();
      assert.equal(await complaintsOfAxe(page), []);
      assert.is(await page.getByLabel('User name or e-mail address').inputValue(), 'ann');
      await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
      await page.getByRole('button', { name: 'Sign in', exact: true }).click();
      await page.getByRole('button', { name: 'Mark as unread' }).waitFor();
      await page.getByRole('button', { name: 'Mark as unread' }).click();
      await page.getByRole('button', { name: 'Mark as read' }).waitFor();
    }),
  );
  checkInBrowser(check, 'after signing in, no address of somebody else is followed', () =>
    browser().at(program.address, `/sign-in?to=${encodeURIComponent('//evil.example/x')}`, async ({ page }) => {
      await signIn(page);
      await page.getByText('Recently added').waitFor();
      assert.is(page.url(), `${program.address}/`);
    }),
  );
};

block(
  'screens of the web client',
  (check) => {
    focusAtOnce(check);
    sessions(check);
    onPhone(check);
  },
  {
    before: async () => {
      folder = mkdtempSync(join(tmpdir(), 'longbox-screens-'));
      const shelf = join(folder, 'comics', 'Harbour');
      mkdirSync(shelf, { recursive: true });
      writeFileSync(join(shelf, 'six-pages.cbz'), readFileSync(fixture('books/six-pages.cbz')));
      program = await startProgram([join(folder, 'comics'), '--data', join(folder, 'data')]);
      const account = { username: 'ann', email: 'ann@example.org', password: PASSWORD };
      const { accessToken } = (await ask('/setup/initialize', account)) as { accessToken: string };
      await until('the scan completes', () => /scan of comics completed/.test(program.printed()));
      const { data } = (await ask('/books', null, accessToken)) as { data: (typeof book)[] };
      book = data[0] ?? book;
    },
    after: async () => {
      await kill(program);
      rmSync(folder, { recursive: true, force: true });
    },
    deadlineS: 180,
  },
);
