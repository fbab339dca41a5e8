// Swipes with one finger in the reader: which turn pages, in which direction, and which do not.
import { until } from '../../app.js';
import { assert, block, type Check, IS_FULL } from '../../kit.js';
import { checkInBrowser, PHONE, type Visit } from '../browser.js';
import { type Bookcase, bookcase, type Side } from './bookcase.js';
import { fingersOn, type Spot } from './fingers.js';
import { isShown } from './in-page.js';

const EIGHT = Array.from({ length: 8 }, (): Side => [600, 900]);
const TOUCH = { viewport: PHONE, hasTouch: true, isMobile: true };

let shelf: Bookcase;

const spot = (x: number, y: number): Spot => ({ x, y });
const MIDDLE = spot(PHONE.width / 2, PHONE.height / 2);
const [LEFT, RIGHT, ABOVE, BELOW] = [spot(90, 420), spot(300, 420), spot(195, 250), spot(195, 600)];
/** The duration of a quick swipe. */
const QUICK_S = 0.2;

const sideways = (check: Check): void => {
  checkInBrowser(check, 'a left swipe turns forward, a right swipe turns back, and other drags turn nothing', () =>
    shelf.reading(
      'eight',
      async (visit) => {
        const fingers = await fingersOn(visit);
        await fingers.drag([RIGHT, LEFT], QUICK_S);
        await isShown(visit.page, [2]);
        await fingers.drag([RIGHT, LEFT], QUICK_S);
        await isShown(visit.page, [3]);
        await fingers.drag([LEFT, RIGHT], QUICK_S);
        await isShown(visit.page, [2]);
        await fingers.drag([MIDDLE, spot(MIDDLE.x - 60, MIDDLE.y), MIDDLE], 1.2); // returns
        await fingers.drag([RIGHT, LEFT, RIGHT], 0.5); // returns quickly
        await fingers.drag([MIDDLE, spot(MIDDLE.x - 30, MIDDLE.y)], QUICK_S); // too short
        await fingers.drag([RIGHT, LEFT], 1.5); // too slow
        await fingers.drag([BELOW, ABOVE], QUICK_S); // upwards
        await fingers.drag([spot(300, 300), spot(150, 430)], QUICK_S); // diagonal
        await fingers.drag([RIGHT, LEFT], QUICK_S);
        await isShown(visit.page, [3]);
      },
      TOUCH,
    ),
  );
  checkInBrowser(check, 'a right swipe turns forward in a right-to-left book', () =>
    shelf.reading(
      'back',
      async (visit) => {
        const fingers = await fingersOn(visit);
        await fingers.drag([LEFT, RIGHT], QUICK_S);
        await isShown(visit.page, [2]);
        await fingers.drag([LEFT, RIGHT], QUICK_S);
        await isShown(visit.page, [3]);
        await fingers.drag([RIGHT, LEFT], QUICK_S);
        await isShown(visit.page, [2]);
      },
      TOUCH,
    ),
  );
  checkInBrowser(check, 'swipes go to the page about the next book and back, wherever on it they start', () =>
    shelf.reading(
      'end',
      async (visit) => {
        const { page } = visit;
        const fingers = await fingersOn(visit);
        await page.keyboard.press('End');
        await isShown(page, [8]);
        await fingers.drag([RIGHT, LEFT], QUICK_S);
        const box = await page.getByText('There is no later book in').boundingBox();
        assert.ok(box !== null);
        const from = spot(box.x + 20, box.y + box.height / 2);
        await fingers.drag([from, spot(from.x + 200, from.y)], QUICK_S);
        await isShown(page, [8]);
      },
      TOUCH,
    ),
  );
};

const isZoomed = ({ page }: Visit, by: number): Promise<void> =>
  until(`the page is ${by} times as wide`, async () => {
    const box = await page.locator('.leaf').first().boundingBox();
    return Math.abs((box?.width ?? 0) / PHONE.width - by) < 0.1;
  });

const scrolledTo = (visit: Visit): Promise<number> =>
  visit.page.evaluate(`document.querySelector('.paged').scrollLeft`);

const otherSwipes = (check: Check): void => {
  checkInBrowser(check, 'where pages are turned downwards, vertical swipes turn them, and horizontal ones do not', () =>
    shelf.reading(
      'down',
      async (visit) => {
        const fingers = await fingersOn(visit);
        await fingers.drag([BELOW, ABOVE], QUICK_S);
        await isShown(visit.page, [2]);
        await fingers.drag([BELOW, ABOVE], QUICK_S);
        await isShown(visit.page, [3]);
        await fingers.drag([RIGHT, LEFT], QUICK_S);
        await fingers.drag([spot(300, 300), spot(150, 400)], QUICK_S); // diagonal
        await fingers.drag([ABOVE, BELOW], QUICK_S);
        await isShown(visit.page, [2]);
      },
      TOUCH,
    ),
  );
  checkInBrowser(check, 'a swipe on a zoomed page pans it, and turns nothing', () =>
    shelf.reading(
      'zoomed',
      async (visit) => {
        const fingers = await fingersOn(visit);
        await fingers.tap(MIDDLE, 2);
        await isZoomed(visit, 2);
        const before = await scrolledTo(visit);
        await fingers.drag([RIGHT, LEFT], QUICK_S);
        await until('it is panned to the right', async () => (await scrolledTo(visit)) > before + 50);
        await isZoomed(visit, 2);
        await isShown(visit.page, [1]);
        await fingers.tap(MIDDLE, 2);
        await isZoomed(visit, 1);
        await fingers.drag([RIGHT, LEFT], QUICK_S);
        await isShown(visit.page, [2]);
      },
      TOUCH,
    ),
  );
};

block(
  'swipes in the reader',
  (check) => {
    if (!IS_FULL) {
      check.skip('swipes turn pages', 'only in a full run');
      return;
    }
    sideways(check);
    otherSwipes(check);
  },
  {
    deadlineS: 120,
    before: async () => {
      if (!IS_FULL) return;
      const names = ['eight', 'back', 'down', 'end', 'zoomed'];
      shelf = await bookcase(Object.fromEntries(names.map((name) => [`${name}/${name}`, EIGHT])));
      await shelf.setting('back', { direction: 'rtl' });
      await shelf.setting('down', { mode: 'paged-down' });
    },
    after: async () => shelf?.close(),
  },
);
