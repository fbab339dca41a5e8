// Titles and numbers in a real browser: from metadata in new libraries, offered once to those who have libraries without, and what metadata
// says on the page of a book.
import { join } from 'node:path';
import { until, writeBook } from '../app.js';
import { assert, block, type Check } from '../kit.js';
import { complaintsOfAxe } from './axe.js';
import { checkInBrowser, PHONE } from './browser.js';
import { type Shelves, shelves } from './shelves.js';

let on: Shelves;

const PLAIN = { bookStrategy: 'filename', numberStrategy: 'file_order' };

const COMIC_INFO = `<?xml version="1.0"?><ComicInfo><Title>Drift</Title><Series>Captain Comet</Series><Number>10</Number>
  <StoryArc>The Long Fog</StoryArc><Characters>Captain Comet, Mira</Characters><Teams>Harbour Watch</Teams>
  <Locations>Lantern Bay</Locations><AgeRating>Teen</AgeRating><Web>https://comics.example/drift</Web></ComicInfo>`;

const shelfOf = (name: string): string => join(on.folder, name);

interface Listed {
  readonly id: string;
  readonly title: string;
  readonly number: number | null;
}

const booksOf = async (libraryId: string): Promise<readonly Listed[]> =>
  ((await on.api('GET', `/libraries/${libraryId}/books?pageSize=50`)).json as { data: readonly Listed[] }).data;

/** A library with the strategies that were the default once, all of it analysed. */
const plainLibrary = async (name: string): Promise<string> => {
  const info = [{ name: 'ComicInfo.xml', bytes: Buffer.from(COMIC_INFO) }];
  writeBook(join(shelfOf(name), 'Captain Comet', 'captain comet 008.cbz'), 2, `${name} 8`);
  writeBook(join(shelfOf(name), 'Captain Comet', 'captain comet 010.cbz'), 2, `${name} 10`, info);
  const body = { name, path: shelfOf(name), scanImmediately: true, ...PLAIN };
  const { id } = (await on.api('POST', '/libraries', body)).json as { id: string };
  await until('its books are analysed', async () => {
    const books = (await booksOf(id)) as readonly (Listed & { readonly fileHash: string })[];
    return books.length === 2 && books.every(({ fileHash }) => fileHash !== '');
  });
  return id;
};

const newLibraries = (check: Check): void => {
  checkInBrowser(check, 'a new library shows what its books would be called, and takes titles from metadata', () =>
    on.at('/libraries/new', async ({ page }) => {
      const info = [{ name: 'ComicInfo.xml', bytes: Buffer.from(COMIC_INFO) }];
      writeBook(join(shelfOf('new'), 'Captain Comet', 'captain comet 010.cbz'), 2, 'new 10', info);
      await page.getByLabel('Path of the folder').fill(shelfOf('new'));
      await page.getByRole('button', { name: 'Open', exact: true }).click();
      await page.getByText('No. 10 · Drift').waitFor();
      await page.getByLabel('Titles and numbers').selectOption('File names, in their order');
      await page.getByText('No. 10 · Drift').waitFor({ state: 'detached' });
      await page.getByLabel('Titles and numbers').selectOption('Metadata, then file names');
      await page.getByText('No. 10 · Drift').waitFor();
      assert.equal(await complaintsOfAxe(page), []);
      await page.getByRole('button', { name: 'Add a library' }).click();
      await page.getByRole('link', { name: 'Captain Comet' }).click();
      await page.getByRole('link', { name: /Drift No\. 10/ }).click();
      await page.getByRole('heading', { name: 'Drift' }).waitFor();
      for (const text of [
        'No. 10',
        'The Long Fog',
        'Captain Comet, Mira',
        'Harbour Watch',
        'Lantern Bay',
        '13 and older',
      ])
        await page.getByText(text).first().waitFor();
      const link = page.getByRole('link', { name: 'comics.example' });
      assert.is(await link.getAttribute('href'), 'https://comics.example/drift');
      assert.is(await link.getAttribute('rel'), 'noopener noreferrer');
      assert.equal(await complaintsOfAxe(page), []);
    }),
  );
};

const issueNumbers = (check: Check): void => {
  checkInBrowser(
    check,
    'the number of an issue is shown as its metadata has it, and never its position among the files',
    async () => {
      const info = (number: string, title: string) => [
        {
          name: 'ComicInfo.xml',
          bytes: Buffer.from(`<ComicInfo><Title>${title}</Title><Number>${number}</Number></ComicInfo>`),
        },
      ];
      writeBook(join(shelfOf('parts'), 'Parts', 'a.cbz'), 2, 'part a', info('012.5', 'Interlude'));
      writeBook(join(shelfOf('parts'), 'Parts', 'b.cbz'), 2, 'part b', info('0', 'Prologue'));
      writeBook(join(shelfOf('parts'), 'Parts', 'c.cbz'), 2, 'part c', info('1AU', 'Elsewhere'));
      writeBook(join(shelfOf('parts'), 'Parts', 'd.cbz'), 2, 'part d', [
        { name: 'ComicInfo.xml', bytes: Buffer.from('<ComicInfo><Title>Nameless</Title></ComicInfo>') },
      ]);
      const body = { name: 'parts', path: shelfOf('parts'), scanImmediately: true, bookStrategy: 'metadata_first' };
      const { id } = (await on.api('POST', '/libraries', { ...body, numberStrategy: 'file_order' })).json as {
        id: string;
      };
      await until('its books are analysed', async () => {
        const books = (await booksOf(id)) as readonly (Listed & { readonly fileHash: string })[];
        return books.length === 4 && books.every(({ fileHash }) => fileHash !== '');
      });
      await on.at(`/libraries/${id}`, async ({ page }) => {
        await page.getByRole('link', { name: 'Parts' }).first().click();
        for (const name of [/Interlude No\. 12\.5$/, /Prologue No\. 0$/, /Elsewhere No\. 1AU$/, /Nameless$/])
          await page.getByRole('link', { name }).waitFor();
        await page.getByRole('link', { name: /^Interlude/ }).click();
        await page.getByText('No. 12.5').waitFor();
      });
      await on.api('DELETE', `/libraries/${id}`);
    },
  );
};

const offers = (check: Check): void => {
  checkInBrowser(
    check,
    'a library of file names is offered metadata, with a preview, and follows after saving',
    async () => {
      const id = await plainLibrary('old');
      const use = { viewport: PHONE, hasTouch: true };
      await on.at(
        '/libraries',
        async ({ page }) => {
          await page.getByText('2 books would get titles and numbers from metadata').waitFor();
          assert.equal(await complaintsOfAxe(page), []);
          await page.getByRole('button', { name: 'Show what would change' }).click();
          await page.getByText('2 of 2 books would get a different title or number.').waitFor();
          await page.getByText('No. 2 · captain comet 010').waitFor();
          await page.getByText('No. 10 · Drift').waitFor();
          assert.equal(await complaintsOfAxe(page), []);
          await page.getByRole('button', { name: 'Save' }).click();
          await page.getByText('The books in old are being read again.').waitFor();
          await until('the books follow', async () =>
            (await booksOf(id)).some(({ title, number }) => title === 'Drift' && number === 10),
          );
          await page.reload();
          await page.getByRole('button', { name: 'Manage old' }).waitFor();
          assert.is(await page.getByText('would get titles and numbers').count(), 0);
        },
        use,
      );
      await on.api('DELETE', `/libraries/${id}`);
    },
  );
  checkInBrowser(
    check,
    'who declines is not asked again, and finds the choice in the settings of the library',
    async () => {
      const id = await plainLibrary('kept');
      await on.at('/libraries', async ({ page }) => {
        await page.getByRole('button', { name: 'Leave as it is' }).click();
        await page.getByText('would get titles and numbers').waitFor({ state: 'detached' });
        await until('the answer is stored', async () =>
          JSON.stringify((await on.api('GET', '/user/preferences')).json).includes(id),
        );
        await page.reload();
        await page.getByRole('button', { name: 'Manage kept' }).click();
        assert.is(await page.getByText('would get titles and numbers').count(), 0);
        await page.getByLabel('Titles and numbers').selectOption('Metadata, then file names');
        await page.getByText('No. 10 · Drift').waitFor();
        await page.getByLabel('Titles and numbers').selectOption('File names, in their order');
        await page.getByText('No. 10 · Drift').waitFor({ state: 'detached' });
      });
      await on.api('DELETE', `/libraries/${id}`);
    },
  );
};

block(
  'titles and numbers in the web client',
  (check) => {
    newLibraries(check);
    offers(check);
    issueNumbers(check);
  },
  {
    before: async () => {
      on = await shelves([]);
    },
    after: () => on?.close(),
    deadlineS: 120,
  },
);
