// Metadata, covers and libraries changed in a real browser, and searching for lists; what a reader may not do is not there.
import { assert, block, type Check, IS_FULL } from '../kit.js';
import { complaintsOfAxe } from './axe.js';
import { checkInBrowser } from './browser.js';
import { picture } from './reader/bookcase.js';
import { type Shelves, shelves } from './shelves.js';

let on: Shelves;

const metadata = (check: Check): void => {
  checkInBrowser(check, 'what is edited of a series is stored and locked, and a lock can be opened again', () => {
    const { seriesId } = on.bookOf('one');
    return on.at(`/series/${seriesId}`, async ({ page }) => {
      await page.getByRole('button', { name: 'Edit', exact: true }).click();
      const dialog = page.getByRole('dialog', { name: 'Edit series' });
      await dialog.getByLabel('Title', { exact: true }).waitFor();
      assert.equal(await complaintsOfAxe(page), []);
      await dialog.getByLabel('Title', { exact: true }).fill('The Harbour');
      await dialog.getByLabel('Publication status', { exact: true }).selectOption('ended');
      await dialog.getByLabel(/^Genres/).fill('Mystery\nSea');
      await dialog.getByRole('button', { name: 'Add person' }).click();
      await dialog.getByLabel('Name of the person').fill('Ann Example');
      assert.is(await dialog.getByRole('button', { name: 'Lock Title' }).getAttribute('aria-pressed'), 'true');
      assert.is(await dialog.getByRole('button', { name: 'Lock Publisher' }).getAttribute('aria-pressed'), 'false');
      await dialog.getByRole('button', { name: 'Save' }).click();
      await page.getByRole('heading', { name: 'The Harbour' }).waitFor();
      await page.getByRole('link', { name: 'Ann Example' }).waitFor();
      await page.getByRole('link', { name: 'Sea', exact: true }).waitFor();
      await page.getByRole('button', { name: 'Edit', exact: true }).click();
      await dialog.getByRole('button', { name: 'Lock Title' }).click();
      await dialog.getByRole('button', { name: 'Save' }).click();
      await dialog.waitFor({ state: 'detached' });
      const { json } = await on.api('GET', `/series/${seriesId}/metadata/locks`);
      const { title, genres, publisher } = json as Record<'title' | 'genres' | 'publisher', boolean>;
      assert.equal({ title, genres, publisher }, { title: false, genres: true, publisher: false });
    });
  });
  checkInBrowser(check, 'a number of a book that is none is refused, and the dialog stays', () =>
    on.at(`/books/${on.bookOf('one').id}`, async ({ page }) => {
      await page.getByRole('button', { name: 'Edit', exact: true }).click();
      const dialog = page.getByRole('dialog', { name: 'Edit book' });
      await dialog.getByLabel('Month', { exact: true }).fill('13');
      await dialog.getByRole('button', { name: 'Save' }).click();
      assert.ok(await page.evaluate(`document.querySelector('dialog input:invalid') !== null`));
      await dialog.getByLabel('Month', { exact: true }).fill('12');
      await dialog.getByLabel('Year', { exact: true }).fill('2020');
      await dialog.getByRole('button', { name: 'Save' }).click();
      await dialog.waitFor({ state: 'detached' });
      await page.getByText('2020', { exact: false }).first().waitFor();
    }),
  );
  checkInBrowser(check, 'a cover is uploaded, shown, and deleted again', () =>
    on.at(`/series/${on.bookOf('three').seriesId}`, async ({ page }) => {
      await page.getByRole('button', { name: 'Cover', exact: true }).click();
      const dialog = page.getByRole('dialog', { name: 'Choose the cover' });
      const file = { name: 'cover.png', mimeType: 'image/png', buffer: picture([200, 300], 90) };
      await dialog.getByLabel('Upload an image').setInputFiles(file);
      await dialog.getByRole('button', { name: 'Choose uploaded cover 1', pressed: true }).waitFor();
      assert.equal(await complaintsOfAxe(page), []);
      await dialog.getByRole('button', { name: 'From the files' }).click();
      await dialog.getByRole('button', { name: 'From the files', pressed: true }).waitFor();
      await dialog.getByRole('button', { name: 'Delete uploaded cover 1' }).click();
      await dialog.getByRole('button', { name: 'Choose uploaded cover 1' }).waitFor({ state: 'detached' });
    }),
  );
};

const others = (check: Check): void => {
  checkInBrowser(
    check,
    'the pages of a book and a series show what was read elsewhere once the window regains focus',
    async () => {
      const { id, seriesId } = on.bookOf('one');
      for (const path of [`/books/${id}`, `/series/${seriesId}`])
        await on.at(path, async ({ page }) => {
          await page.getByRole('link', { name: /^Read/ }).first().waitFor();
          await on.api('PUT', `/books/${id}/progress`, { currentPage: 1 });
          await page.evaluate(`dispatchEvent(new Event('focus'))`);
          await page.getByRole('link', { name: /^Continue on page 1/ }).waitFor();
          await on.api('DELETE', `/books/${id}/progress`);
        });
    },
  );
  checkInBrowser(check, 'lists and people are found as one types', () =>
    on.at('/search', async ({ page }) => {
      await on.api('POST', '/collections', { name: 'Förde und Meer' });
      await page.getByRole('searchbox').fill('forde');
      await page.getByRole('link', { name: /Förde und Meer/ }).waitFor();
    }),
  );
  checkInBrowser(check, 'a reader sees no way to change anything', () =>
    on.at(`/series/${on.bookOf('one').seriesId}`, async ({ page, context }) => {
      const account = { username: 'bo', email: 'bo@example.org', password: 'Fog over the harbour 7!', role: 'reader' };
      await on.api('POST', '/users', account);
      await context.clearCookies();
      const sign = { data: { username: 'bo', password: account.password, cookie: true } };
      await context.request.post(`${on.program.address}/api/v1/auth/login`, sign);
      await page.reload();
      await page.getByRole('button', { name: 'Mark as read' }).waitFor();
      for (const name of ['Edit', 'Cover', 'Add to collection'])
        assert.is(await page.getByRole('button', { name, exact: true }).count(), 0, name);
      await page.goto(`${on.program.address}/libraries`);
      await page.getByText('comics').first().waitFor();
      assert.is(await page.getByRole('button').count(), 0);
    }),
  );
  checkInBrowser(
    check,
    'what was entered for a library stays while work is started, and while deleting it is considered',
    () =>
      on.at('/libraries', async ({ page }) => {
        await page.getByRole('button', { name: 'Manage comics' }).click();
        const dialog = page.getByRole('dialog', { name: 'comics', exact: true });
        const name = dialog.getByLabel('Name of the library');
        await name.fill('Our comics');
        await dialog.getByRole('button', { name: 'Deep scan' }).click();
        await page
          .getByText(/deep scan/i)
          .first()
          .waitFor();
        await dialog.getByRole('button', { name: 'Delete library' }).click();
        const confirm = page.getByRole('dialog', { name: 'Delete comics' });
        await confirm.getByLabel(/to confirm/).waitFor();
        await page.keyboard.press('Escape');
        await confirm.waitFor({ state: 'detached' });
        assert.is(await name.inputValue(), 'Our comics');
      }),
  );
  checkInBrowser(check, 'a library is renamed, watched, and deleted once its name has been typed', () =>
    on.at('/libraries', async ({ page, expects }) => {
      expects('404'); // what was being shown may be asked for once more
      await page.getByRole('button', { name: 'Manage comics' }).click();
      const dialog = page.getByRole('dialog', { name: 'comics' });
      assert.equal(await complaintsOfAxe(page), []);
      await dialog.getByLabel('Name of the library').fill('Our comics');
      await dialog.getByLabel('Watch the folder').check();
      await dialog.getByRole('button', { name: 'Save' }).click();
      await page.getByText(/watched/).waitFor();
      await page.getByRole('button', { name: 'Manage Our comics' }).click();
      await page.getByRole('button', { name: 'Delete library' }).click();
      const confirm = page.getByRole('dialog', { name: 'Delete Our comics' });
      assert.ok(await confirm.getByRole('button', { name: 'Delete' }).isDisabled());
      await confirm.getByLabel(/to confirm/).fill('Our comics');
      await confirm.getByRole('button', { name: 'Delete' }).click();
      await page.getByText('There are no libraries yet.').waitFor();
    }),
  );
};

block(
  'changes in the web client',
  (check) => {
    if (!IS_FULL) {
      check.skip('metadata, covers and libraries are changed', 'only in a full run');
      return;
    }
    metadata(check);
    others(check);
  },
  {
    before: async () => {
      if (IS_FULL) on = await shelves(['Harbour/one', 'Harbour/two', 'Lantern/three']);
    },
    after: async () => on?.close(),
    deadlineS: 180,
  },
);
