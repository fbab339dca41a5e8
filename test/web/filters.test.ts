// Filters of walls, in a real browser: put together, kept in the address, taken off chip by chip, saved under a name.
import { assert, block, IS_FULL } from '../kit.js';
import { complaintsOfAxe } from './axe.js';
import { checkInBrowser } from './browser.js';
import { type Shelves, shelves } from './shelves.js';

let on: Shelves;

const seriesIdOf = (book: string): string => on.bookOf(book).seriesId;

block(
  'filters in the web client',
  (check) => {
    if (!IS_FULL) {
      check.skip('walls are filtered', 'only in a full run');
      return;
    }
    checkInBrowser(check, 'a filter is put together, stands in the address, and is taken off by its chips', () =>
      on.at('/browse', async ({ page }) => {
        const wall = page.getByRole('list', { name: 'Series' });
        await wall.getByRole('link', { name: /Quiet Garden/ }).waitFor();
        await page.getByRole('button', { name: 'Filter', exact: true }).click();
        const panel = page.getByRole('dialog', { name: 'Filter' });
        await panel.getByLabel('Field').selectOption('genre');
        await panel.getByRole('combobox', { name: 'Genre' }).fill('Mystery');
        await panel.getByRole('button', { name: 'Add condition' }).click();
        await panel.getByLabel('Field').nth(1).selectOption('year');
        await panel.getByLabel('Comparison').nth(1).selectOption('gte');
        await panel.getByLabel('Year', { exact: true }).fill('2000');
        assert.equal(await complaintsOfAxe(page), []);
        await panel.getByRole('button', { name: 'Apply' }).click();
        await page.getByText('1 series', { exact: true }).waitFor();
        await wall.getByRole('link', { name: /Harbour/ }).waitFor();
        assert.match(decodeURIComponent(page.url()), /filter=\{"allOf":\[\{"genre"/);
        await page.reload();
        const chips = page.getByRole('list', { name: 'Active filters' });
        await chips.getByText('Genre: Mystery').waitFor();
        await page.getByRole('button', { name: 'Remove filter Year at least 2000' }).click();
        await page.getByText('2 series', { exact: true }).waitFor();
        await wall.getByRole('link', { name: /Lantern/ }).waitFor();
        await page.getByRole('button', { name: 'Clear all' }).click();
        await page.getByText('3 series', { exact: true }).waitFor();
        assert.is(new URL(page.url()).search, '');
      }),
    );
    checkInBrowser(check, 'a group of which any has to hold, saved under a name and chosen again', () =>
      on.at('/browse', async ({ page }) => {
        await page.getByRole('button', { name: 'Filter', exact: true }).click();
        const panel = page.getByRole('dialog', { name: 'Filter' });
        await panel.getByLabel('Match').selectOption('any');
        await panel.getByLabel('Field').selectOption('title');
        await panel.getByLabel('Title', { exact: true }).fill('garden');
        await panel.getByRole('button', { name: 'Add condition' }).click();
        await panel.getByLabel('Field').nth(1).selectOption('title');
        await panel.getByLabel('Title', { exact: true }).nth(1).fill('harb');
        await panel.getByLabel('Save this filter as').fill('By the water');
        await panel.getByRole('button', { name: 'Save' }).click();
        await panel.getByRole('button', { name: 'By the water', exact: true }).waitFor();
        await panel.getByRole('button', { name: 'Apply' }).click();
        await page.getByText('2 series', { exact: true }).waitFor();
        await page.getByRole('button', { name: 'Clear all' }).click();
        await page.getByText('3 series', { exact: true }).waitFor();
        await page.getByRole('button', { name: 'Filter', exact: true }).click();
        await panel.getByRole('button', { name: 'Delete the saved filter By the water' }).click();
        await panel.getByText('The filter “By the water” was deleted.').waitFor();
        await panel.getByRole('button', { name: 'Undo' }).click();
        await panel.getByRole('button', { name: 'By the water', exact: true }).click();
        await panel.waitFor({ state: 'detached' });
        await page.getByText('2 series', { exact: true }).waitFor();
      }),
    );
    checkInBrowser(check, 'books keep the filter of series, and Back undoes one choice at a time', () =>
      on.at('/browse', async ({ page }) => {
        await page.getByText('3 series', { exact: true }).waitFor();
        await page.getByRole('button', { name: 'Filter', exact: true }).click();
        const panel = page.getByRole('dialog', { name: 'Filter' });
        await panel.getByLabel('Field').selectOption('title');
        await panel.getByLabel('Title', { exact: true }).fill('two');
        await panel.getByRole('button', { name: 'Apply' }).click();
        await page.getByText('0 series', { exact: true }).waitFor();
        assert.is(await page.evaluate('document.activeElement?.textContent'), 'Filter');
        await page.getByRole('radio', { name: 'Books' }).check();
        await page.getByText('1 book', { exact: true }).waitFor();
        await page.getByRole('radio', { name: 'Series' }).check();
        await page.getByText('0 series', { exact: true }).waitFor();
        await page.goBack();
        await page.getByText('1 book', { exact: true }).waitFor();
        assert.ok(await page.getByRole('radio', { name: 'Books' }).isChecked());
        await page.goBack();
        await page.getByText('0 series', { exact: true }).waitFor();
        await page.goBack();
        await page.getByText('3 series', { exact: true }).waitFor();
        assert.is(new URL(page.url()).search, '');
        await page.goForward();
        await page.getByRole('list', { name: 'Active filters' }).getByText('two').waitFor();
      }),
    );
    checkInBrowser(check, 'books are a wall of their own, with filters of their own', () =>
      on.at('/browse', async ({ page }) => {
        await page.getByRole('radio', { name: 'Books' }).check();
        await page.getByText('4 books', { exact: true }).waitFor();
        await page.getByRole('button', { name: 'Filter', exact: true }).click();
        const panel = page.getByRole('dialog', { name: 'Filter' });
        await panel.getByLabel('Field').selectOption('title');
        await panel.getByLabel('Title', { exact: true }).fill('o');
        await panel.getByRole('button', { name: 'Apply' }).click();
        await page.getByText('3 books', { exact: true }).waitFor(); // one, two, four
        await page.getByRole('button', { name: 'Filter', exact: true }).click();
        await panel.getByLabel('Match').selectOption('none');
        await panel.getByLabel('Field').selectOption('inker');
        await panel.getByRole('combobox', { name: 'Inker' }).fill('ann');
        await panel.locator('datalist option[value="Ann Ö"]').waitFor({ state: 'attached' });
        await panel.getByRole('combobox', { name: 'Inker' }).fill('Ann Ö');
        assert.equal(await complaintsOfAxe(page), []);
        await panel.getByRole('button', { name: 'Apply' }).click();
        const chips = page.getByRole('list', { name: 'Active filters' });
        await chips.getByText('None of these').waitFor();
        await chips.getByText('Inker: Ann Ö').waitFor();
        await page.getByText('3 books', { exact: true }).waitFor(); // one, two, three
      }),
    );
  },
  {
    before: async () => {
      if (!IS_FULL) return;
      on = await shelves(['Harbour/one', 'Harbour/two', 'Lantern/three', 'Quiet Garden/four']);
      await on.api('PUT', `/series/${seriesIdOf('one')}/genres`, { genres: ['Mystery'] });
      await on.api('PUT', `/series/${seriesIdOf('three')}/genres`, { genres: ['Mystery'] });
      await on.api('PATCH', `/series/${seriesIdOf('one')}/metadata`, { year: 2010 });
      await on.api('PATCH', `/series/${seriesIdOf('three')}/metadata`, { year: 1990 });
      const authors = [{ name: 'Ann Ö', role: 'inker' }];
      await on.api('PATCH', `/books/${on.bookOf('four').id}/metadata`, { authors });
    },
    after: async () => on?.close(),
    deadlineS: 180,
  },
);
