// The reader by fingers, and what it asks of the device: zooming, a screen that stays awake, the whole screen.
import { until } from '../../app.js';
import { assert, block, type Check, IS_FULL } from '../../kit.js';
import { checkInBrowser, PHONE, type Visit } from '../browser.js';
import { type Bookcase, bookcase, type Side } from './bookcase.js';
import { fingersOn } from './fingers.js';
import { isShown, scrollBy } from './in-page.js';

const UPRIGHT: Side = [600, 900];
const EIGHT = Array.from({ length: 8 }, () => UPRIGHT);
const TOUCH = { viewport: PHONE, hasTouch: true, isMobile: true };
const MIDDLE = { x: PHONE.width / 2, y: PHONE.height / 2 };

let shelf: Bookcase;

const widthOfPage = async ({ page }: Visit): Promise<number> =>
  (await page.locator('.leaf').first().boundingBox())?.width ?? 0;

const isZoomed = (visit: Visit, by: number): Promise<void> =>
  until(`the page is ${by} times as wide`, async () => Math.abs((await widthOfPage(visit)) / PHONE.width - by) < 0.1);

const putsMenuAway = async ({ page }: Visit): Promise<void> => {
  await page.keyboard.press('m');
  await page.locator('.reader-bars.shown').waitFor({ state: 'detached' });
};

const gestures = (check: Check): void => {
  checkInBrowser(check, 'two fingers zoom in and out, and turn nothing', () =>
    shelf.reading(
      'eight',
      async (visit) => {
        const fingers = await fingersOn(visit);
        const [left, right] = [
          { x: MIDDLE.x - 40, y: MIDDLE.y },
          { x: MIDDLE.x + 40, y: MIDDLE.y },
        ];
        const [farLeft, farRight] = [
          { x: MIDDLE.x - 80, y: MIDDLE.y },
          { x: MIDDLE.x + 80, y: MIDDLE.y },
        ];
        await fingers.move(
          [
            [left, farLeft],
            [right, farRight],
          ],
          0.4,
        );
        await isZoomed(visit, 2);
        await fingers.move(
          [
            [farLeft, left],
            [farRight, right],
          ],
          0.4,
        );
        await isZoomed(visit, 1);
        await isShown(visit.page, [1]);
      },
      TOUCH,
    ),
  );
  checkInBrowser(check, 'two taps in the middle zoom in, and out again', () =>
    shelf.reading(
      'eight',
      async (visit) => {
        const fingers = await fingersOn(visit);
        await fingers.tap(MIDDLE, 2);
        await isZoomed(visit, 2);
        await fingers.tap(MIDDLE, 2);
        await isZoomed(visit, 1);
      },
      TOUCH,
    ),
  );
  checkInBrowser(check, 'the zones that are shown are those in which taps do what they say', () =>
    shelf.reading(
      'eight',
      async ({ page }) => {
        await page.keyboard.press('s');
        await page.getByText('Touch', { exact: true }).click();
        await page.getByLabel('Tap zones').selectOption('Top and bottom');
        await page.getByRole('button', { name: 'Show the zones' }).click();
        const zones = page.locator('.zones .zone');
        const next = await zones.filter({ hasText: 'Next' }).first().boundingBox();
        const back = await zones.filter({ hasText: 'Back' }).first().boundingBox();
        assert.ok(next !== null && back !== null && next.y > back.y);
        await page.getByRole('button', { name: 'Hide the zones' }).click();
        await zones.first().waitFor({ state: 'detached' });
        await page.touchscreen.tap(next.x + next.width / 2, next.y + next.height / 2);
        await isShown(page, [2]);
        await page.touchscreen.tap(back.x + back.width / 2, back.y + back.height / 2);
        await isShown(page, [1]);
      },
      TOUCH,
    ),
  );
  checkInBrowser(check, 'zones without a menu have it in the middle', async () => {
    await shelf.setting('zones', { zones: 'own', ownZones: Array.from({ length: 9 }, () => 'next') });
    await shelf.reading(
      'zones',
      async (visit) => {
        const { page } = visit;
        await page.touchscreen.tap(40, 400);
        await isShown(page, [2]);
        await page.locator('.reader-bars.shown').waitFor({ state: 'detached' });
        await page.touchscreen.tap(MIDDLE.x, MIDDLE.y);
        await page.getByRole('button', { name: 'Reader settings' }).waitFor();
        await isShown(page, [2]);
      },
      TOUCH,
    );
  });
};

/** Notes the locks that the browser really grants. */
const NOTE_LOCKS = `{
  window.locks = [];
  const { request } = WakeLock.prototype;
  WakeLock.prototype.request = function (...kinds) {
    const asked = request.apply(this, kinds);
    asked.then((lock) => window.locks.push(lock), (error) => window.locks.push({ released: String(error) }));
    return asked;
  };
}`;

const device = (check: Check): void => {
  checkInBrowser(check, 'the screen is kept awake while a book is read, and not when that is off', () =>
    shelf.reading('eight', async ({ page }) => {
      await page.addInitScript(NOTE_LOCKS);
      await page.reload();
      await page.locator('.leaf.ready').first().waitFor();
      const released = (): Promise<readonly unknown[]> => page.evaluate('window.locks.map(({ released }) => released)');
      await until('a lock is held', async () => (await released()).at(-1) === false);
      await page.keyboard.press('s');
      await page.getByText('Screen', { exact: true }).click();
      await page.getByLabel('Keep the screen on').click();
      await until('no lock is held', async () => (await released()).every((one) => one === true));
    }),
  );
  checkInBrowser(check, 'the whole screen is taken and given back by a key', () =>
    shelf.reading('eight', async ({ page }) => {
      const isFull = (): Promise<boolean> => page.evaluate('document.fullscreenElement !== null');
      await page.keyboard.press('f');
      await until('it is taken', isFull);
      await page.keyboard.press('f');
      await until('it is given back', async () => !(await isFull()));
    }),
  );
};

const running = (check: Check): void => {
  checkInBrowser(check, 'pages turn by themselves at the time that is set, until somebody stops them', () =>
    shelf.reading('eight', async ({ page }) => {
      await page.keyboard.press('d');
      for (let press = 0; press < 9; press += 1) await page.keyboard.press('.');
      await page.keyboard.press('a');
      await isShown(page, [2]);
      await isShown(page, [3]);
      await page.keyboard.press('a');
      const [stopped] = await page
        .locator('.spread .leaf')
        .evaluateAll((all) => all.map((leaf) => leaf.getAttribute('data-page')));
      await page.getByText('Auto-advance off').waitFor();
      await isShown(page, [Number(stopped)]);
      await page.getByText('Auto-advance off').waitFor({ state: 'detached' });
      await page.keyboard.press('End');
      await page.keyboard.press('a');
      await page.getByText('Auto-advance off').waitFor();
      await isShown(page, [8]);
    }),
  );
  checkInBrowser(check, 'a strip moves by itself, on and on, until it is stopped', () =>
    shelf.reading('strip', async (visit) => {
      const { page } = visit;
      const top = (): Promise<number> => page.evaluate(`document.querySelector('.strip').scrollTop`);
      await putsMenuAway(visit);
      await page.keyboard.press('a');
      let before = await top();
      for (let look = 0; look < 3; look += 1) {
        await until('it has moved on', async () => (await top()) > before + 5);
        before = await top();
      }
      await page.keyboard.press('a');
      await page.getByText('Auto-advance off').waitFor();
      let stopped = await top();
      await until('it stands still', async () => {
        const before = stopped;
        stopped = await top();
        return Math.abs(stopped - before) < 2;
      });
      await scrollBy(page, 0, 10); // ten frames
      assert.ok(Math.abs((await top()) - stopped) < 2);
    }),
  );
};

block(
  'the reader by fingers',
  (check) => {
    if (!IS_FULL) return;
    gestures(check);
    device(check);
    running(check);
  },
  {
    deadlineS: 120,
    before: async () => {
      shelf = await bookcase({
        'Eight/eight': EIGHT,
        'Zones/zones': EIGHT,
        'Strip/strip': Array.from({ length: 20 }, () => [400, 1600] as const),
      });
    },
    after: () => shelf.close(),
  },
);
