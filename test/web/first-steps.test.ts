// What somebody does first, in a real browser: create the first account, look at the books, open one.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fixture } from '../../fixtures/index.js';
import { until } from '../app.js';
import { assert, block } from '../kit.js';
import { kill, type Program, startProgram } from '../system/program.js';
import { checkInBrowser, Visits } from './browser.js';

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
    checkInBrowser(check, 'the first account is created, and the books are there', () =>
      browser().at(program.address, '/', async ({ page, expects }) => {
        expects('401'); // the page asks who is signed in
        await page.getByRole('heading', { name: 'Welcome to Longbox' }).waitFor();
        assert.is(new URL(page.url()).pathname, '/setup');
        await page.getByLabel('User name').fill('ann');
        await page.getByLabel('E-mail address').fill('ann@example.org');
        await page.getByLabel('Password', { exact: true }).fill('Fog over the harbour 7!');
        await page.getByRole('button', { name: 'Create the account' }).click();
        await page.getByRole('heading', { name: 'Recently added' }).waitFor();
        await page.getByRole('link', { name: 'six-pages' }).first().click();
        await page.getByRole('link', { name: 'Read', exact: true }).click();
        await page.waitForURL(/\/read\//);
      }),
    );
  },
  {
    before: async () => {
      folder = mkdtempSync(join(tmpdir(), 'longbox-steps-'));
      const shelf = join(folder, 'comics', 'Harbour');
      mkdirSync(shelf, { recursive: true });
      writeFileSync(join(shelf, 'six-pages.cbz'), readFileSync(fixture('books/six-pages.cbz')));
      program = await startProgram([join(folder, 'comics'), '--data', join(folder, 'data')]);
      await until('the scan completes', () => /scan of comics completed/.test(program.printed()));
    },
    after: async () => {
      await visits?.close();
      await kill(program);
      rmSync(folder, { recursive: true, force: true });
    },
  },
);
