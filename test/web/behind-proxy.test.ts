// The web client behind nginx, under a path that the proxy strips and under one that it keeps: everything a person does first, in a real
// browser. Only in a full run.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fixture } from '../../fixtures/index.js';
import { until } from '../app.js';
import { assert, block, type Check, IS_FULL } from '../kit.js';
import { checkWithNginx, freePort, startNginx } from '../system/nginx.js';
import { kill, type Program, startProgram } from '../system/program.js';
import { checkInBrowser, Visits } from './browser.js';

const PASSWORD = 'Fog over the harbour 7!';

interface Kind {
  readonly name: string;
  /** What stands behind the address of the server in the configuration of the proxy. */
  readonly upstreamPath: string;
  /** The server has to know a path that it is sent; one that is stripped it need not. */
  readonly isToldPath: boolean;
}

const KINDS: readonly Kind[] = [
  { name: 'strips its path', upstreamPath: '/', isToldPath: false },
  { name: 'strips its path, of which the server knows', upstreamPath: '/', isToldPath: true },
  { name: 'keeps its path', upstreamPath: '', isToldPath: true },
];

let folder = '';
let visits: Visits | undefined;

/** Started by the first fact that needs it. */
const browser = (): Visits => {
  visits ??= new Visits();
  return visits;
};

const behind = async (
  { upstreamPath, isToldPath }: Kind,
  use: (address: string, program: Program) => Promise<void>,
): Promise<void> => {
  const own = mkdtempSync(join(folder, 'kind-'));
  const port = await freePort();
  const address = `http://127.0.0.1:${port}/shelf`;
  const program = await startProgram([join(folder, 'comics'), '--data', join(own, 'data')], {
    SVC_HTTP__TRUSTED_PROXIES: '127.0.0.1',
    ...(isToldPath ? { SVC_APPLICATION__BASE_URL: address } : {}),
  });
  try {
    const stop = await startNginx({
      folder: own,
      upstream: new URL(program.address).host,
      server: (proxy) =>
        `listen 127.0.0.1:${port}; location /shelf/ { proxy_pass http://longbox${upstreamPath}; ${proxy} }`,
      answers: async () => (await fetch(`${address}/health`).catch(() => null))?.status === 200,
    });
    try {
      await use(address, program);
    } finally {
      await stop();
    }
  } finally {
    await kill(program);
  }
};

const walk = (address: string): Promise<void> =>
  browser().at(address, '/', async ({ page }) => {
    const path = (): string => new URL(page.url()).pathname;
    await page.waitForURL(/\/shelf\/setup$/);
    await page.getByLabel('User name').fill('ann');
    await page.getByLabel('E-mail address').fill('ann@example.org');
    await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
    await page.getByRole('button', { name: 'Create account' }).click();
    await page
      .getByRole('link', { name: /six-pages/ })
      .first()
      .click();
    await page.getByRole('link', { name: 'Read', exact: true }).click();
    await page.waitForURL(/\/shelf\/read\//);
    const isDrawn = '[...document.images].some((image) => image.complete && image.naturalWidth > 0)';
    await until('a page is drawn', async () => (await page.evaluate(isDrawn)) === true);
    await page.goto(`${address}/settings/apps`);
    assert.is(await page.getByLabel('OPDS catalogue', { exact: true }).inputValue(), `${address}/opds/v1.2/catalog`);
    await page.reload();
    await page.getByRole('heading', { name: 'API keys' }).waitFor();
    await page.getByRole('link', { name: 'Settings' }).first().click();
    await page.getByRole('button', { name: 'Sign out' }).first().click();
    await page.waitForURL(/\/shelf\/sign-in/);
    await page.getByLabel('User name or e-mail address').fill('ann');
    await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await page.waitForURL(/\/shelf\/settings$/);
    await page.goto(`${address}/`);
    await page.getByText('six-pages').first().waitFor();
    assert.is(path(), '/shelf/');
  });

block(
  'the web client behind a proxy with a path',
  (check) => {
    const withNginx: Check = Object.assign(
      (fact: string, body: () => void | Promise<void>) => checkWithNginx(check, fact, async () => body()),
      {
        skip: check.skip,
      },
    );
    for (const kind of KINDS) {
      const fact = `a proxy that ${kind.name}: set-up, reading, settings, leaving and coming back`;
      if (!IS_FULL) check.skip(fact, 'only in a full run');
      else
        checkInBrowser(withNginx, fact, () =>
          behind(kind, async (address, program) => {
            await until('the scan completes', () => /scan of comics completed/.test(program.printed()));
            await walk(address);
          }),
        );
    }
  },
  {
    before: () => {
      folder = mkdtempSync(join(tmpdir(), 'longbox-proxied-'));
      const shelf = join(folder, 'comics', 'Harbour');
      mkdirSync(shelf, { recursive: true });
      writeFileSync(join(shelf, 'six-pages.cbz'), readFileSync(fixture('books/six-pages.cbz')));
    },
    after: async () => {
      rmSync(folder, { recursive: true, force: true });
    },
    deadlineS: 180,
  },
);
