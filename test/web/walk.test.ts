// A walk through all screens of the web client: none is wider than its window, its menu can be reached, its targets are large enough and axe
// finds nothing; with long titles, without books, with hundreds of them; in German; on a slow line.
import { parse } from 'node:path';
import type { Page } from 'playwright-core';
import { assert, block, type Check, IS_FULL } from '../kit.js';
import type { Program } from '../system/program.js';
import { complaintsOfAxe } from './axe.js';
import { checkInBrowser, type Visit, Visits } from './browser.js';
import { LONG, pathsOf, SET_UP_PATHS, SIGNED_OUT_PATHS, screensMissing, UNBROKEN, use } from './screen-paths.js';
import { type Shelves, shelves } from './shelves.js';
import { SLOW_LINE, watchForEmptiness } from './slow-line.js';

type Size = readonly [width: number, height: number];

/** Small and large phones, a tablet, desktops; a phone on its side; a desktop at 200 % zoom. A short run looks at one phone and the zoom. */
const PHONE: Size = [390, 844];
const DESKTOP: Size = [1280, 800];
const ZOOMED: Size = [640, 400];
const SIZES: readonly Size[] = IS_FULL
  ? [[320, 568], PHONE, [844, 390], [768, 1024], [1024, 768], DESKTOP, [1920, 1080], ZOOMED]
  : [PHONE, ZOOMED];

/** Sizes and themes in which axe looks: not each of all, since contrast depends on the theme and names on neither. */
const AXE_LOOKS: readonly (readonly [size: Size, theme: 'light' | 'dark'])[] = IS_FULL
  ? [
      [PHONE, 'light'],
      [PHONE, 'dark'],
      [DESKTOP, 'light'],
      [DESKTOP, 'dark'],
    ]
  : [[PHONE, 'light']];

const MANY = 500;

const LONG_TITLES = [
  ...Array.from({ length: 9 }, (_, at) => `${LONG}/${LONG} ${String(at).padStart(3, '0')} (of 18) (digital)`),
  ...Array.from({ length: 9 }, (_, at) => `${LONG} ${at}/${LONG} ${at} - ${UNBROKEN} ${at}`),
  `${UNBROKEN}/${UNBROKEN}`,
];

/** One that cannot be read, and one of which some pages cannot be shown. */
const DAMAGED = ['corrupt-header.cbr', 'bad-pages.cbz'];

/** What sticks out, for the message of the test. */
const WIDER = `(() => {
  const { scrollWidth } = document.scrollingElement;
  if (scrollWidth <= innerWidth) return '';
  const out = [...document.querySelectorAll('body *')].filter((one) => one.getBoundingClientRect().right > innerWidth + 1);
  return scrollWidth + ' of ' + innerWidth + ': ' + out.slice(-3).map((one) => one.outerHTML.slice(0, 120)).join(' | ');
})()`;

/** Links of the menu that are not inside the window. */
const MENU_OUTSIDE = `[...document.querySelectorAll('.top nav a')].filter((link) => {
  const { left, right, top, bottom } = link.getBoundingClientRect();
  return left < 0 || right > innerWidth || top < 0 || bottom > innerHeight;
}).map((link) => link.textContent).join()`;

/** Links, buttons and fields that fingers hardly hit: lower or narrower than 24 pixels, with what is around them that does the same. */
const TOO_SMALL = `[...document.querySelectorAll('a[href], button, select, summary, input:not([type=hidden])')].map((one) => {
  const target = one.closest('label') ?? one;
  const { width, height } = target.getBoundingClientRect();
  const isThere = one.checkVisibility({ opacityProperty: true, visibilityProperty: true }) && width > 1 && height > 1;
  return isThere && (width < 23.5 || height < 23.5) ? Math.round(width) + ' × ' + Math.round(height) + ' ' + one.outerHTML.slice(0, 90) : '';
}).filter(Boolean).slice(0, 5).join(' | ')`;

/** Rows of buttons of which some are out of sight, and selects that cut off what is chosen. */
const CUT_OFF = `(() => {
  const rows = [...document.querySelectorAll('body *')].filter((one) => one.scrollWidth > one.clientWidth + 1 &&
    /auto|scroll/.test(getComputedStyle(one).overflowX) && one.querySelector(':scope > button') !== null);
  const pen = document.createElement('canvas').getContext('2d');
  const selects = [...document.querySelectorAll('.filters > .choice select')].filter((one) => {
    const { font, paddingLeft, paddingRight } = getComputedStyle(one);
    pen.font = font;
    const texts = Math.max(...[...one.options].map(({ text }) => pen.measureText(text).width));
    const room = one.clientWidth - Number.parseFloat(paddingLeft) - Number.parseFloat(paddingRight) - 14; // of the arrow
    return texts > room && one.offsetWidth < one.closest('.filters').clientWidth - 1;
  });
  return [...rows, ...selects].map((one) => one.outerHTML.slice(0, 120)).join(' | ');
})()`;

const sizeTo = async (page: Page, [width, height]: Size): Promise<void> => {
  await page.setViewportSize({ width, height });
  await page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))');
};

interface Looks {
  readonly sizes: readonly Size[];
  readonly axe: typeof AXE_LOOKS;
}

const looked = async (page: Page, what: string, { sizes, axe }: Looks): Promise<readonly string[]> => {
  const wrong: string[] = [];
  for (const size of sizes) {
    await sizeTo(page, size);
    for (const [look, name] of [
      [WIDER, 'wider than its window'],
      [TOO_SMALL, 'too small'],
      [MENU_OUTSIDE, 'the menu is outside'],
      [CUT_OFF, 'cut off'],
    ] as const) {
      const found = (await page.evaluate(look)) as string;
      if (found !== '') wrong.push(`${what} at ${size[0]}: ${name}: ${found}`);
    }
  }
  for (const [size, colorScheme] of axe) {
    await page.emulateMedia({ colorScheme });
    await sizeTo(page, size);
    for (const found of await complaintsOfAxe(page)) wrong.push(`${what} at ${size[0]}, ${colorScheme}: ${found}`);
  }
  await page.emulateMedia({ colorScheme: 'light' });
  return wrong;
};

const complete = async (page: Page): Promise<void> => {
  await page.locator('main').locator('h1, h2, input[type=search], .leaf.ready').first().waitFor({ state: 'attached' });
  await page.locator('.loading').first().waitFor({ state: 'detached' });
};

interface Walk {
  readonly page: Page;
  readonly address: string;
  readonly looks: Looks;
}

const walked = async ({ page, address, looks }: Walk, paths: readonly string[]): Promise<readonly string[]> => {
  const wrong: string[] = [];
  for (const path of paths) {
    await page.goto(address + path);
    await complete(page);
    wrong.push(...(await looked(page, path, looks)));
  }
  return wrong;
};

/** Dialogs are screens too. */
const DIALOGS: readonly (readonly [path: string, button: string])[] = [
  ['/series/', 'Edit'],
  ['/series/', 'Cover'],
  ['/series/', 'Add to collection'],
  ['/books/', 'Edit'],
  ['/books/', 'Add to read list'],
  ['/readlists/', 'Reorder and remove'],
  ['/browse', 'Filter'],
  ['/browse', 'Select'],
  ['/libraries', 'Manage'],
  ['/read/', 'Reader settings'],
  ['/read/', 'All pages'],
  ['/readlists', 'New read list'],
  ['/collections', 'New collection'],
];

const dialogs = async ({ page, address, looks }: Walk, paths: readonly string[]): Promise<readonly string[]> => {
  const wrong: string[] = [];
  for (const [start, button] of DIALOGS) {
    const path = paths.find((one) => one.startsWith(start));
    if (path === undefined) continue;
    await page.goto(address + path);
    await complete(page);
    const opener = page.getByRole('button', { name: button }).first();
    await opener.waitFor();
    if (await opener.isDisabled()) continue; // there is nothing to select
    await opener.click();
    wrong.push(...(await looked(page, `${path} ${button}`, looks)));
  }
  return wrong;
};

const ALL: Looks = { sizes: SIZES, axe: AXE_LOOKS };
const REDUCED: Looks = { sizes: [PHONE, DESKTOP], axe: [[PHONE, 'light']] };
const TOUCH = { viewport: { width: PHONE[0], height: PHONE[1] }, hasTouch: true };

/** A walk through screens that need nobody to be signed in. */
const signedOut = async (address: string, paths: readonly string[], looks: Looks, locale = 'en-GB'): Promise<void> => {
  const visit = async ({ page, expects }: Visit): Promise<void> => {
    expects('401'); // the first page asks who is signed in
    assert.equal(await walked({ page, address, looks }, paths), []);
  };
  await new Visits().at(address, paths[0] ?? '/', visit, { ...TOUCH, locale });
};

/** What the first server offers, so that every screen can be shown; no mail is sent. */
const OFFERS = { SVC_AUTH__REGISTRATION_ENABLED: 'true', SVC_EMAIL__SMTP_HOST: '127.0.0.1' };
const SIGNED_OUT = Object.values(SIGNED_OUT_PATHS).flat();
const SET_UP = Object.values(SET_UP_PATHS).flat();

const inGerman = async (on: Shelves, paths: readonly string[]): Promise<void> => {
  const { address } = on.program;
  await signedOut(address, SIGNED_OUT, REDUCED, 'de-DE');
  const visit = async ({ page, expects }: Visit): Promise<void> => {
    expects('422'); // a page that cannot be read
    const walk = { page, address, looks: REDUCED };
    assert.is(await page.locator('html').getAttribute('lang'), 'de');
    assert.equal(await walked(walk, paths), []);
  };
  await on.at('/', visit, { ...TOUCH, locale: 'de-DE' });
};

/** Screen after screen, first by the links of the menu while no part of the client is there yet. */
const onSlowLine = async (on: Shelves, paths: readonly string[]): Promise<void> => {
  const visit = async ({ page, context, expects }: Visit): Promise<void> => {
    expects('422'); // a page that cannot be read
    const emptiness = await watchForEmptiness(page);
    const line = await context.newCDPSession(page);
    await line.send('Network.emulateNetworkConditions', SLOW_LINE);
    const wrong: string[] = [];
    const arrived = async (what: string): Promise<void> => {
      await complete(page);
      assert.is(await page.locator('main [role=alert]:not(:empty)').count(), 0, what);
      if (await emptiness.wasSeen()) wrong.push(what);
    };
    await page.goto(`${on.program.address}/`);
    await arrived('/');
    for (const link of await page.locator('.top nav a').all()) {
      await link.click();
      await arrived(`the link ${await link.textContent()}`);
    }
    for (const path of paths) {
      await page.goto(on.program.address + path);
      await arrived(path);
    }
    assert.equal(wrong, [], 'was empty');
  };
  await on.at('/sign-in', visit, TOUCH);
};

const screensOf = ({ id, seriesId }: ReturnType<Shelves['bookOf']>): readonly string[] => [
  `/series/${seriesId}`,
  `/books/${id}`,
  `/read/${id}`,
];

const pathsOfDamaged = (on: Shelves): readonly string[] =>
  DAMAGED.flatMap((name) => screensOf(on.bookOf(parse(name).name)));

/** @returns the paths of what was used, without those of damaged books. */
const checkAll = async (on: Shelves, damaged: readonly string[] = []): Promise<readonly string[]> => {
  const used = await use(on);
  const paths = pathsOf(used);
  if (used !== null) assert.equal(screensMissing([...paths, ...SIGNED_OUT, ...SET_UP]), []);
  const visit = async ({ page, expects }: Visit): Promise<void> => {
    if (damaged.length > 0) expects('422'); // a page that cannot be read
    const walk = { page, address: on.program.address, looks: ALL };
    assert.equal([...(await walked(walk, [...paths, ...damaged])), ...(await dialogs(walk, paths))], []);
  };
  await on.at('/', visit, TOUCH);
  return paths;
};

const longTitles = async (): Promise<void> => {
  const beforeSetUp = ({ address }: Program): Promise<void> => signedOut(address, SET_UP, ALL);
  const on = await shelves(LONG_TITLES, DAMAGED, { environment: OFFERS, beforeSetUp });
  try {
    await signedOut(on.program.address, SIGNED_OUT, ALL);
    const damaged = pathsOfDamaged(on);
    const paths = await checkAll(on, damaged);
    if (!IS_FULL) return;
    await inGerman(on, [...paths, ...damaged]);
    await onSlowLine(on, paths);
  } finally {
    await on.close();
  }
};

const others = (check: Check, fact: string, books: readonly string[]): void => {
  checkInBrowser(check, `every screen is sound ${fact}`, async () => {
    const on = await shelves(books);
    try {
      await checkAll(on);
    } finally {
      await on.close();
    }
  });
};

block(
  'walk through the web client',
  (check) => {
    const more = IS_FULL ? ', in German too, and none is empty on a slow line' : '';
    checkInBrowser(check, `every screen is sound with long titles${more}`, longTitles);
    others(check, 'without books', []);
    const many = Array.from({ length: MANY }, (_, at) => `Series ${at % 80}/Series ${at % 80} ${at}`);
    if (IS_FULL) others(check, 'with 500 books', many);
    else check.skip('every screen is sound with 500 books', 'only in a full run');
  },
  { deadlineS: 420 },
);
