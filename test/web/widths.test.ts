// No screen of the web client is wider than its window, its menu can be reached and its targets are large enough: with long titles, without
// books, with hundreds of them.
import type { Page } from 'playwright-core';
import { assert, block, type Check, IS_FULL } from '../kit.js';
import { checkInBrowser, type Visit } from './browser.js';
import { type Shelves, shelves } from './shelves.js';

/** Small and large phones, upright and on their side, a tablet, a desktop, and that desktop at 200 % zoom. */
const SIZES = [
  [320, 568],
  [390, 844],
  [844, 390],
  [820, 1180],
  [1440, 900],
  [720, 450],
] as const;
const PHONE = { width: 390, height: 844 };
const SHORT_SIZES = SIZES.filter(([width]) => width === 390 || width === 720);

const LONG = 'The Most Extraordinary and Entirely Unabridged Chronicles of Captain Comet';
const UNBROKEN = 'Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft';

const MANY = 500;

const LONG_TITLES = [
  ...Array.from({ length: 9 }, (_, at) => `${LONG}/${LONG} ${String(at).padStart(3, '0')} (of 18) (digital)`),
  ...Array.from({ length: 9 }, (_, at) => `${LONG} ${at}/${LONG} ${at} - ${UNBROKEN} ${at}`),
  `${UNBROKEN}/${UNBROKEN}`,
];

interface Listed {
  readonly id: string;
  readonly seriesId: string;
  readonly libraryId: string;
}

/** As a server looks after weeks of use: books begun and read, lists, keys. */
const use = async ({ api }: Shelves): Promise<readonly string[]> => {
  const { json } = await api('GET', '/books?pageSize=100');
  const books = (json as { readonly data: readonly Listed[] }).data;
  const [first] = books;
  for (const name of [LONG, UNBROKEN]) {
    await api('POST', '/collections', { name: `${name} collection` });
    await api('POST', '/readlists', { name: `${name} list` });
    await api('POST', '/user/api-keys', { name });
  }
  if (first === undefined) return [];
  const list = (await api('POST', '/readlists', { name: `${LONG}, in the order of ${UNBROKEN}` })).json as Listed;
  const group = (await api('POST', '/collections', { name: `${UNBROKEN} and others` })).json as Listed;
  await api('POST', `/readlists/${list.id}/books`, { bookIds: books.slice(0, 12).map(({ id }) => id) });
  await api('POST', `/collections/${group.id}/series`, { seriesIds: [...new Set(books.map((book) => book.seriesId))] });
  for (const { id } of books.slice(0, 9)) {
    await api('PUT', `/books/${id}/progress`, { currentPage: 1 });
    await api('POST', '/want-to-read', { bookId: id });
  }
  for (const { id } of books.slice(9, 11)) await api('POST', `/books/${id}/read`);
  return [
    `/libraries/${first.libraryId}`,
    `/series/${first.seriesId}`,
    `/series/${books.at(-1)?.seriesId ?? ''}`,
    `/books/${first.id}`,
    `/books/${books.at(-1)?.id ?? ''}`,
    `/read/${first.id}`,
    `/readlists/${list.id}`,
    `/collections/${group.id}`,
  ];
};

const EVERYWHERE = [
  '/',
  '/libraries',
  '/libraries/new',
  '/unreadable',
  '/browse',
  '/browse?of=books',
  '/want-to-read',
  '/collections',
  '/readlists',
  '/search',
  `/search?q=${encodeURIComponent('captain comet')}`,
  `/search?q=${UNBROKEN.slice(0, 30)}`,
  '/settings',
  '/settings/apps',
] as const;

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

const looked = async (page: Page, path: string): Promise<readonly string[]> => {
  const wrong: string[] = [];
  for (const [width, height] of IS_FULL ? SIZES : SHORT_SIZES) {
    await page.setViewportSize({ width, height });
    await page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))');
    const wider = (await page.evaluate(WIDER)) as string;
    if (wider !== '') wrong.push(`${path} at ${width}: ${wider}`);
    const small = (await page.evaluate(TOO_SMALL)) as string;
    if (small !== '') wrong.push(`${path} at ${width}: too small: ${small}`);
    const outside = (await page.evaluate(MENU_OUTSIDE)) as string;
    if (outside !== '') wrong.push(`${path} at ${width}: the menu is outside: ${outside}`);
  }
  return wrong;
};

const complete = async (page: Page): Promise<void> => {
  await page.locator('main').locator('h1, h2, .leaf.ready').first().waitFor({ state: 'attached' });
  await page.locator('.loading').first().waitFor({ state: 'detached' });
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
];

const dialogs = async (page: Page, on: Shelves, paths: readonly string[]): Promise<readonly string[]> => {
  const wrong: string[] = [];
  for (const [start, button] of DIALOGS) {
    const path = paths.find((one) => one.startsWith(start));
    if (path === undefined) continue;
    await page.goto(on.program.address + path);
    await complete(page);
    await page.getByRole('button', { name: button }).first().click();
    wrong.push(...(await looked(page, `${path} ${button}`)));
  }
  return wrong;
};

const walked = async ({ page }: Visit, on: Shelves): Promise<void> => {
  const paths = [...EVERYWHERE, ...(await use(on))];
  const wrong: string[] = [];
  for (const path of paths) {
    await page.goto(on.program.address + path);
    await complete(page);
    wrong.push(...(await looked(page, path)));
  }
  wrong.push(...(await dialogs(page, on, paths)));
  assert.equal(wrong, []);
};

const walk = (check: Check, fact: string, books: readonly string[]): void => {
  checkInBrowser(check, `no screen is wider than its window ${fact}`, async () => {
    const on = await shelves(books);
    try {
      await on.at('/', (visit) => walked(visit, on), { viewport: PHONE, hasTouch: true });
    } finally {
      await on.close();
    }
  });
};

block(
  'widths of the web client',
  (check) => {
    walk(check, 'with long titles', LONG_TITLES);
    walk(check, 'without books', []);
    const many = Array.from({ length: MANY }, (_, at) => `Series ${at % 80}/Series ${at % 80} ${at}`);
    if (IS_FULL) walk(check, 'with 500 books', many);
    else check.skip('no screen is wider than its window with 500 books', 'only in a full run');
  },
  { deadlineS: 240 },
);
