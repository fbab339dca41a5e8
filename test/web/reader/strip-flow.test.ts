// Scrolling on at the end of a strip: the next book opens at its beginning, unless something has to be said first.
import type { Page } from 'playwright-core';
import { until } from '../../app.js';
import { assert, block } from '../../kit.js';
import { checkInBrowser, DESKTOP, PHONE } from '../browser.js';
import { type Bookcase, bookcase, type Side } from './bookcase.js';
import { fingersOn } from './fingers.js';
import { said } from './in-page.js';

const PANEL: Side = [400, 1800];
const EPISODE = Array.from({ length: 3 }, () => PANEL);
const MIDDLE = { x: PHONE.width / 2, y: PHONE.height / 2 };

let shelf: Bookcase;

const toEnd = async (page: Page): Promise<void> => {
  await page.locator('.strip-tail .end-card').waitFor();
  await page.evaluate(`document.querySelector('.strip').scrollTo({ top: 1e6, behavior: 'instant' })`);
  await page.locator('.strip-tail .end-own').waitFor();
};

const opens = (page: Page, name: string): Promise<void> => page.waitForURL(`**/read/${shelf.bookOf(name).id}*`);

/** Turns the wheel until the address changes, or this often. */
const turnWheel = async (page: Page, times: number): Promise<void> => {
  const before = page.url();
  await page.mouse.move(DESKTOP.width / 2, DESKTOP.height / 2);
  for (let turn = 0; turn < times && page.url() === before; turn += 1) {
    await page.mouse.wheel(0, 120);
    await page.waitForTimeout(60);
  }
};

block(
  'strips flow into the next book',
  (check) => {
    checkInBrowser(check, 'turning the wheel on leads through a series, and each book is read on the way', () =>
      shelf.reading('Tower 001', async ({ page }) => {
        await toEnd(page);
        await page.getByText('Scroll on to read it.').waitFor();
        await turnWheel(page, 60);
        await opens(page, 'Tower 002');
        await page.locator('.strip .leaf.ready[data-page="1"]').waitFor();
        assert.is(await said(page), 1);
        const progress = async (): Promise<{ completed: boolean }> =>
          (await shelf.api('GET', `/books/${shelf.bookOf('Tower 001').id}/progress`)).json as { completed: boolean };
        await until('the first is read', async () => (await progress()).completed);
        await toEnd(page);
        await turnWheel(page, 60);
        await opens(page, 'Tower 003');
      }),
    );
    checkInBrowser(check, 'a finger that drags on at the end does so too', () =>
      shelf.reading(
        'Spire 001',
        async (visit) => {
          const { page } = visit;
          await toEnd(page);
          const fingers = await fingersOn(visit);
          const up = { x: MIDDLE.x, y: MIDDLE.y - 250 };
          await until('the next book opens', async () => {
            if (!page.url().includes(shelf.bookOf('Spire 002').id)) await fingers.move([[MIDDLE, up]], 0.3);
            return page.url().includes(shelf.bookOf('Spire 002').id);
          });
          assert.is(await said(page), 1);
        },
        { viewport: PHONE, hasTouch: true, isMobile: true },
      ),
    );
    checkInBrowser(
      check,
      'where episodes are missing in between, or the next was read already, one has to choose',
      async () => {
        for (const name of ['Gap 001', 'Known 001'])
          await shelf.reading(name, async ({ page }) => {
            await toEnd(page);
            await page.getByRole('button', { name: 'Read the next book' }).waitFor();
            assert.is(await page.getByText('Scroll on to read it.').count(), 0);
            await turnWheel(page, 12);
            assert.ok(page.url().includes(shelf.bookOf(name).id));
          });
      },
    );
  },
  {
    deadlineS: 120,
    before: async () => {
      const names = ['Tower/Tower 001', 'Tower/Tower 002', 'Tower/Tower 003', 'Spire/Spire 001', 'Spire/Spire 002'];
      const others = ['Gap/Gap 001', 'Gap/Gap 005', 'Known/Known 001', 'Known/Known 002'];
      shelf = await bookcase(Object.fromEntries([...names, ...others].map((name) => [name, EPISODE])));
      await shelf.api('POST', `/books/${shelf.bookOf('Known 002').id}/read`);
    },
    after: () => shelf.close(),
  },
);
