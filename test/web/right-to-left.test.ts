// The web client in a right-to-left layout, in a real browser: nothing is cut off, and whatever refers to a physical side stays on it.
import type { Page } from 'playwright-core';
import { until } from '../app.js';
import { assert, block, type Check, IS_FULL } from '../kit.js';
import { complaintsOfAxe } from './axe.js';
import { checkInBrowser, DESKTOP, PHONE, type Visit, Visits } from './browser.js';
import { type Bookcase, bookcase, type Side } from './reader/bookcase.js';
import { shown } from './reader/in-page.js';

const UPRIGHT: Side = [600, 900];

let shelf: Bookcase;
let visits: Visits | undefined;

const SET_RTL = `new MutationObserver((_, observer) => {
  if (document.documentElement === null) return;
  document.documentElement.dir = 'rtl';
  observer.disconnect();
}).observe(document, { childList: true });`;

/** Opens a path in a right-to-left layout, signed in. */
const at = async (path: string, viewport: typeof PHONE, use: (visit: Visit) => Promise<void>): Promise<void> => {
  const { address } = shelf.program;
  visits ??= new Visits();
  const open = async (visit: Visit): Promise<void> => {
    visit.expects('401'); // the first page asks who is signed in
    const account = { username: 'ann', password: 'Fog over the harbour 7!', cookie: true };
    await visit.context.request.post(`${address}/api/v1/auth/login`, { data: account });
    await visit.page.addInitScript(SET_RTL);
    await visit.page.goto(address + path);
    await use(visit);
  };
  await visits.at(address, '/sign-in', open, { viewport });
};

/** Each screen, and a text that shows once it has loaded. */
const screens = (): readonly (readonly [path: string, text: string])[] => [
  ['/', 'Recently added'],
  ['/libraries', '61 series'],
  ['/browse', '61 series'],
  [`/series/${shelf.bookOf('eight').seriesId}`, 'Mark as read'],
  [`/books/${shelf.bookOf('eight').id}`, 'Mark as read'],
  ['/want-to-read', 'Nothing is on this list yet.'],
  ['/settings', 'this browser'],
  ['/settings/apps', 'You have no keys yet.'],
];

const checkLooks = async (page: Page, viewport: typeof PHONE, path: string): Promise<void> => {
  const wide = (await page.evaluate('document.documentElement.scrollWidth')) as number;
  assert.ok(wide <= viewport.width, `${path} needs ${wide} pixels`);
  const heading = await page.getByRole('heading').and(page.locator(':not(.visually-hidden)')).first().boundingBox();
  assert.ok(heading !== null && heading.x + heading.width > viewport.width * 0.6, `${path} starts at the right`);
  assert.equal(await complaintsOfAxe(page), [], path);
};

const walls = (check: Check): void => {
  for (const [name, viewport] of [
    ['a phone', PHONE],
    ['a desktop', DESKTOP],
  ] as const)
    checkInBrowser(check, `on ${name}, screens start at the right, and none is wider than the window`, () =>
      at('/', viewport, async ({ page }) => {
        for (const [path, text] of screens()) {
          await page.goto(shelf.program.address + path);
          await page.getByText(text).first().waitFor();
          await checkLooks(page, viewport, path);
        }
      }),
    );
};

const centre = async (page: Page, name: string): Promise<number> => {
  const box = await page.getByRole('button', { name, exact: true }).boundingBox();
  return box === null ? Number.NaN : box.x + box.width / 2;
};

const reader = (check: Check): void => {
  checkInBrowser(check, 'a zoomed page is panned to its end, and then turned', () =>
    at(`/read/${shelf.bookOf('eight').id}`, PHONE, async ({ page }) => {
      await page.locator('.leaf.ready').first().waitFor();
      await page.emulateMedia({ reducedMotion: 'reduce' }); // so that each step is instant
      for (let press = 0; press < 3; press += 1) await page.keyboard.press('+');
      for (let press = 0; press < 6; press += 1) await page.keyboard.press('Space');
      await until('it is turned', async () => ((await shown(page))[0] ?? 0) > 1);
    }),
  );
  checkInBrowser(
    check,
    'the settings open at the left, and the buttons to the previous and the next book keep their sides',
    () =>
      at(`/read/${shelf.bookOf('eight').id}`, DESKTOP, async ({ page }) => {
        await page.locator('.leaf.ready').first().waitFor();
        assert.ok((await centre(page, 'Previous book')) < (await centre(page, 'Next book')));
        await page.keyboard.press('s');
        const panel = await page.locator('.reader-panel.side').boundingBox();
        assert.is(panel?.x, 0);
      }),
  );
};

block(
  'the web client in a right-to-left layout',
  (check) => {
    if (!IS_FULL) {
      check.skip('nothing is cut off', 'only in a full run');
      return;
    }
    walls(check);
    reader(check);
  },
  {
    before: async () => {
      if (!IS_FULL) return;
      const letters = Array.from({ length: 60 }, (_, place) => `${String.fromCharCode(65 + (place % 26))} ${place}`);
      const small = Object.fromEntries(letters.map((name) => [`${name}/${name}`, [UPRIGHT]]));
      shelf = await bookcase({ ...small, 'Eight/eight': Array.from({ length: 8 }, () => UPRIGHT) });
    },
    after: async () => {
      if (!IS_FULL) return;
      await shelf.close();
    },
    deadlineS: 240,
  },
);
