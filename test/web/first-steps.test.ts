// What somebody does first, in a real browser: create the first account, add a library, open a book.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fixture } from '../../fixtures/index.js';
import { assert, block } from '../kit.js';
import { kill, type Program, startProgram } from '../system/program.js';
import { checkInBrowser, Visits } from './browser.js';

const PASSWORD = 'Fog over the harbour 7!';

let folder = '';
let program: Program;
let visits: Visits | undefined;

/** Started by the first fact that needs it. */
const browser = (): Visits => {
  visits ??= new Visits();
  return visits;
};

block(
  'first steps in the web client',
  (check) => {
    checkInBrowser(check, 'the first account is created, a library is added and fills, and a book is opened', () =>
      browser().at(program.address, '/', async ({ page }) => {
        await page.getByRole('heading', { name: 'Welcome to Longbox' }).waitFor();
        assert.is(new URL(page.url()).pathname, '/setup');
        await page.getByLabel('User name').fill('ann');
        await page.getByLabel('E-mail address').fill('ann@example.org');
        await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
        await page.getByRole('button', { name: 'Create account' }).click();
        await page.getByRole('link', { name: 'Add a library' }).click();
        await page.getByLabel('Path of the folder').fill(join(folder, 'shelves', 'tales'));
        await page.getByRole('button', { name: 'Open', exact: true }).click();
        await page.getByText('14 books in 14 series:').waitFor();
        const last = page.getByText('Tale 14 1 book');
        assert.ok(!(await last.isVisible()));
        await page.getByText('and 2 more').click();
        await last.waitFor();
        await page.getByLabel('Path of the folder').fill(join(folder, 'shelves'));
        await page.getByRole('button', { name: 'Open', exact: true }).click();
        await page.getByRole('button', { name: 'comics' }).click();
        await page.getByRole('button', { name: 'Choose this folder' }).click();
        await page.getByText('1 book in 1 series:').waitFor();
        assert.is(await page.getByLabel('Name of the library').inputValue(), 'comics');
        await page.getByRole('button', { name: 'Add a library' }).click();
        await page.getByRole('link', { name: 'Harbour' }).click();
        const books = page.getByRole('list', { name: 'Books' });
        await books.getByRole('link', { name: 'six-pages' }).click();
        await page.waitForURL(/\/books\//);
        await page.getByRole('heading', { name: 'six-pages' }).waitFor();
        await page.getByRole('link', { name: 'Read', exact: true }).click();
        await page.waitForURL(/\/read\//);
      }),
    );
  },
  {
    before: async () => {
      folder = mkdtempSync(join(tmpdir(), 'longbox-steps-'));
      const shelf = join(folder, 'shelves', 'comics', 'Harbour');
      mkdirSync(shelf, { recursive: true });
      writeFileSync(join(shelf, 'six-pages.cbz'), readFileSync(fixture('books/six-pages.cbz')));
      for (let tale = 1; tale <= 14; tale += 1) {
        const named = join(folder, 'shelves', 'tales', `Tale ${String(tale).padStart(2, '0')}`);
        mkdirSync(named, { recursive: true });
        writeFileSync(join(named, '1.cbz'), ''); // a preview shows what it can
      }
      program = await startProgram(['--data', join(folder, 'data')]);
    },
    after: async () => {
      await kill(program);
      rmSync(folder, { recursive: true, force: true });
    },
  },
);
