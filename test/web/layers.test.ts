// Back closes the topmost dialog or panel in a real browser, and what was entered is not lost without a question.
import type { Page } from 'playwright-core';
import { until } from '../app.js';
import { assert, block, type Check } from '../kit.js';
import { checkInBrowser, PHONE } from './browser.js';
import { isShown } from './reader/in-page.js';
import { type Shelves, shelves } from './shelves.js';

let on: Shelves;

const path = (page: Page): string => new URL(page.url()).pathname;

const closed = (page: Page): Promise<void> => page.getByRole('dialog').first().waitFor({ state: 'detached' });

/** Waits until the history has, or lacks, an entry for a dialog. The page's own policy forbids what `waitForFunction` does with text. */
const layered = (page: Page, isOpen: boolean): Promise<void> =>
  until('the history follows', async () => (await page.evaluate('history.state?.layer === 1')) === isOpen);

/** Opens the screen after home, so that there is something to go back to. */
const from = async (page: Page, to: string): Promise<void> => {
  await page.getByText('Recently added').waitFor();
  await page.evaluate(
    `(() => { const link = document.createElement('a'); link.href = ${JSON.stringify(to)}; document.body.append(link); link.click(); link.remove(); })()`,
  );
};

const back = (check: Check): void => {
  checkInBrowser(check, 'Back closes the filter, then leaves the wall; closing it otherwise leaves no trace', () =>
    on.at('/', async ({ page }) => {
      await from(page, '/browse');
      for (let round = 0; round < 2; round += 1) {
        await page.getByRole('button', { name: 'Filter' }).click();
        await page.getByRole('dialog').waitFor();
        await layered(page, true);
        await page.goBack();
        await closed(page);
        assert.is(path(page), '/browse');
      }
      await page.getByRole('button', { name: 'Filter' }).click();
      await layered(page, true);
      await page.keyboard.press('Escape');
      await closed(page);
      await layered(page, false);
      await page.goBack();
      await page.getByText('Recently added').waitFor();
      assert.is(path(page), '/');
    }),
  );
  checkInBrowser(check, 'a dialog that leads on is one step: Back returns to before it', () =>
    on.at('/', async ({ page }) => {
      await from(page, '/readlists');
      await page.getByRole('button', { name: 'New read list' }).click();
      await layered(page, true);
      await page.getByLabel('Name', { exact: true }).fill('Made here');
      await page.getByRole('button', { name: 'Create' }).click();
      await page.getByRole('heading', { name: 'Made here' }).waitFor();
      await page.goBack();
      await page.getByRole('link', { name: /Made here/ }).waitFor();
      assert.is(path(page), '/readlists');
      await page.goBack();
      await page.getByText('Recently added').waitFor();
    }),
  );
  checkInBrowser(check, 'Back closes the settings of the reader, and then leaves the book', () =>
    on.at(
      '/',
      async ({ page }) => {
        await from(page, `/read/${on.bookOf('Eclipse 1').id}`);
        await isShown(page, [1]);
        await page.getByRole('button', { name: 'Reader settings' }).click();
        await page.getByRole('dialog').waitFor();
        await layered(page, true);
        await page.goBack();
        await closed(page);
        await isShown(page, [1]);
        await page.getByRole('button', { name: 'Reader settings' }).click();
        await layered(page, true);
        await page.getByRole('button', { name: 'Close' }).click();
        await closed(page);
        await layered(page, false);
        await page.getByRole('button', { name: 'Leave the book' }).click();
        await page.getByText('Recently added').waitFor();
      },
      { viewport: PHONE, hasTouch: true },
    ),
  );
  checkInBrowser(check, 'after a reload, an open dialog is gone and Back leads to the screen before', () =>
    on.at('/', async ({ page }) => {
      await from(page, '/browse');
      await page.getByRole('button', { name: 'Filter' }).click();
      await layered(page, true);
      await page.reload();
      await page.getByRole('button', { name: 'Filter' }).waitFor();
      assert.is(await page.getByRole('dialog').count(), 0);
      await page.goBack();
      assert.is(path(page), '/browse');
      await page.goBack();
      await page.getByText('Recently added').waitFor();
    }),
  );
};

const asked = async (page: Page, leave: () => Promise<unknown>): Promise<void> => {
  // Typed as people do: a browser lets a page keep a dialog open only after somebody used it.
  const title = page.getByLabel('Title', { exact: true });
  await title.click();
  await title.fill('');
  await title.pressSequentially('Edited');
  await leave();
  await page.getByRole('heading', { name: 'Discard your changes?' }).waitFor();
  await page.getByRole('button', { name: 'Keep editing' }).click();
  await page.getByRole('heading', { name: 'Discard your changes?' }).waitFor({ state: 'detached' });
  assert.is(await page.getByLabel('Title', { exact: true }).inputValue(), 'Edited');
};

const edits = (check: Check): void => {
  checkInBrowser(check, 'edits are asked about before Escape, the button or Back throws them away', () =>
    on.at('/', async ({ page }) => {
      await from(page, `/books/${on.bookOf('Eclipse 1').id}`);
      await page.getByRole('button', { name: 'Edit', exact: true }).click();
      await page.getByLabel('Title', { exact: true }).waitFor();
      await layered(page, true);
      await asked(page, () => page.keyboard.press('Escape'));
      await asked(page, () => page.getByRole('button', { name: 'Close' }).first().click());
      await layered(page, true);
      await asked(page, () => page.goBack());
      await layered(page, true);
      await page.goBack();
      await page.getByRole('button', { name: 'Discard' }).click();
      await closed(page);
      await page.getByRole('heading', { name: 'Eclipse 1' }).waitFor();
      await layered(page, false);
      await page.goBack();
      await page.getByText('Recently added').waitFor();
    }),
  );
  checkInBrowser(check, 'nothing is asked where nothing was entered, or after saving', () =>
    on.at(`/books/${on.bookOf('Eclipse 2').id}`, async ({ page }) => {
      await page.getByRole('button', { name: 'Edit', exact: true }).click();
      await page.getByLabel('Title', { exact: true }).waitFor();
      await page.keyboard.press('Escape');
      await closed(page);
      await page.getByRole('button', { name: 'Edit', exact: true }).click();
      await page.getByLabel('Title', { exact: true }).fill('Eclipse two');
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByRole('heading', { name: 'Eclipse two' }).waitFor();
      assert.is(await page.getByRole('dialog').count(), 0);
    }),
  );
};

const QUESTION = { name: 'Discard your changes?' };

const forms = (check: Check): void => {
  checkInBrowser(check, 'a link or Back asks before discarding unsaved input', () =>
    on.at('/', async ({ page }) => {
      await from(page, '/settings');
      const email = page.getByLabel('E-mail address');
      const type = async (): Promise<void> => {
        await email.click();
        await email.fill('');
        await email.pressSequentially('other@example.org');
        await layered(page, true);
      };
      const question = page.getByRole('heading', QUESTION);
      await type();
      for (const leave of [() => page.getByRole('link', { name: 'Libraries' }).first().click(), () => page.goBack()]) {
        await leave();
        await question.waitFor();
        await page.getByRole('button', { name: 'Keep editing' }).click();
        await question.waitFor({ state: 'detached' });
        assert.equal([path(page), await email.inputValue()], ['/settings', 'other@example.org']);
        await layered(page, true);
      }
      await page.getByRole('link', { name: 'Libraries' }).first().click();
      await page.getByRole('button', { name: 'Discard' }).click();
      await page.getByRole('heading', { name: 'Libraries' }).waitFor();
      assert.is(path(page), '/libraries');
      await page.goBack();
      await email.waitFor();
      assert.is(await email.inputValue(), 'ann@example.org');
      await type();
      await page.goBack();
      await page.getByRole('button', { name: 'Discard' }).click();
      await page.getByText('Recently added').waitFor();
      assert.is(path(page), '/');
    }),
  );
  checkInBrowser(check, 'no question appears once it is saved', () =>
    on.at('/', async ({ page }) => {
      await from(page, '/settings');
      await page.getByLabel('User name').fill('anna');
      await page.getByRole('button', { name: 'Save' }).first().click();
      await page.getByText('Saved').waitFor();
      await layered(page, false);
      await page.getByLabel('User name').fill('ann');
      await layered(page, true);
      await page.getByRole('button', { name: 'Save' }).first().click();
      await layered(page, false);
      await page.goBack();
      await page.getByText('Recently added').waitFor();
    }),
  );
  checkInBrowser(check, 'Back ends selecting, and then leaves the screen', () =>
    on.at('/', async ({ page }) => {
      const series = `/series/${on.bookOf('Eclipse 1').seriesId}`;
      await from(page, series);
      await page.getByRole('list', { name: 'Books' }).getByRole('link').first().hover();
      await page.getByRole('checkbox', { name: 'Select Eclipse 1' }).click();
      await page.getByText('1 selected', { exact: true }).waitFor();
      await layered(page, true);
      await page.goBack();
      await page.getByText('1 selected', { exact: true }).waitFor({ state: 'detached' });
      assert.is(path(page), series);
      await page.goBack();
      await page.getByText('Recently added').waitFor();
    }),
  );
};

block(
  'dialogs and Back in the web client',
  (check) => {
    back(check);
    forms(check);
    edits(check);
  },
  {
    before: async () => {
      on = await shelves(['Eclipse/Eclipse 1', 'Eclipse/Eclipse 2', 'Harbour/one']);
    },
    after: () => on?.close(),
    deadlineS: 120,
  },
);
