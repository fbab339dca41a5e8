// The start page in a real browser after a very long series was added: what else is new stays there.
import { join } from 'node:path';
import { until, writeBook } from '../app.js';
import { assert, block } from '../kit.js';
import { checkInBrowser } from './browser.js';
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
