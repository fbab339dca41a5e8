// The sign-in screens of the web client in a real browser: what the server offers there and what it does not, links in mails, and where
// one gets to after signing in.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { fixture } from '../../fixtures/index.js';
import { type Inbox, openInbox } from '../access/post-office.js';
import { until } from '../app.js';
import { assert, block, type Check, IS_FULL } from '../kit.js';
import { kill, type Program, startProgram } from '../system/program.js';
import { checkInBrowser, PHONE, Visits } from './browser.js';

const PASSWORD = 'Fog over the harbour 7!';

let folder = '';
/** Lets people register, and sends mails. */
let open: Program;
/** Does neither. */
let closed: Program;
let inbox: Inbox;
let visits: Visits | undefined;

/** Started by the first fact that needs it. */
const browser = (): Visits => {
  visits ??= new Visits();
  return visits;
};

const signIn = async (page: Page, username: string, password: string): Promise<void> => {
  await page.getByLabel('User name or e-mail address').fill(username);
  await page.getByLabel('Password', { exact: true }).fill(password);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
};

/** The link in the newest of so many mails, which do not know at which address the server is reached. */
const linkOf = async (mails: number): Promise<string> => {
  await until(`mail ${mails} is there`, () => inbox.received.length === mails);
  return open.address + (/\/auth\/\S+#token=[\w-]{43}/.exec(inbox.received.at(-1)?.text ?? '')?.[0] ?? '');
};

const offers = (check: Check): void => {
  checkInBrowser(
    check,
    'a start without a session asks for nothing that fails, and nothing is offered that is not',
    () =>
      browser().at(closed.address, '/', async ({ page }) => {
        await page.getByRole('button', { name: 'Sign in', exact: true }).waitFor();
        assert.is(await page.getByRole('link').count(), 0);
        for (const path of ['/register', '/forgot-password', '/settings']) {
          await page.goto(closed.address + path);
          await page.getByRole('heading', { name: 'Sign in' }).waitFor();
          await page.waitForURL(/\/sign-in/);
        }
      }),
  );
};

const registration = (check: Check): void => {
  checkInBrowser(check, 'an account is made, and the link in its mail opens it; a new password is set by another', () =>
    browser().at(
      open.address,
      '/',
      async ({ page, context, expects }) => {
        expects('409');
        await page.getByRole('link', { name: 'Create an account' }).click();
        await page.getByLabel('User name').fill('ann');
        await page.getByLabel('E-mail address').fill('bea@example.org');
        await page.getByLabel('Password', { exact: true }).fill('gulls over the pier 4');
        await page.getByRole('button', { name: 'Create account' }).click();
        await page.getByText('This user name is taken.').waitFor();
        await page.getByLabel('User name').fill('bea');
        await page.getByRole('button', { name: 'Create account' }).click();
        await page.getByRole('heading', { name: 'Check your inbox' }).waitFor();
        await page.goto(await linkOf(1));
        await page.getByRole('button', { name: 'Verify and sign in' }).click();
        await page.getByText('Recently added').waitFor();
        assert.is(page.url(), `${open.address}/`, 'the token is not in the address');
        await context.clearCookies();
        await page.goto(`${open.address}/books/${UNKNOWN}`);
        await page.getByRole('link', { name: 'Forgot your password?' }).click();
        await page.getByLabel('E-mail address').fill('bea@example.org');
        await page.getByRole('button', { name: 'Send link' }).click();
        await page.getByText('is on its way').waitFor();
        await page.goto(await linkOf(2));
        await page.getByLabel('New password').fill('rain on the roof 99');
        await page.getByRole('button', { name: 'Set password' }).click();
        await page.getByRole('link', { name: 'Sign in' }).click();
        await signIn(page, 'bea', 'rain on the roof 99');
        await page.getByText('Recently added').waitFor();
      },
      { viewport: PHONE },
    ),
  );
  checkInBrowser(check, 'a link that was used or is incomplete says so', () =>
    browser().at(open.address, `/auth/verify-email#token=${'x'.repeat(43)}`, async ({ page, expects }) => {
      expects('400');
      await page.getByRole('button', { name: 'Verify and sign in' }).click();
      await page.getByText('This link has expired or was already used.').waitFor();
      await page.goto(`${open.address}/auth/reset-password`);
      await page.getByText('This link is incomplete.').waitFor();
      assert.ok(await page.getByRole('button', { name: 'Set password' }).isDisabled());
    }),
  );
  checkInBrowser(check, 'a sign-on that was refused says why, and lets one sign in', () =>
    browser().at(open.address, '/auth/sign-on?refused=no-account', async ({ page }) => {
      await page.getByText('You have no account on this server.').waitFor();
      await page.goto(`${open.address}/auth/sign-on?refused=<b>`);
      await page.getByText('could not accept the response').waitFor();
      await signIn(page, 'ann', PASSWORD);
      await page.getByText('Recently added').waitFor();
      assert.is(page.url(), `${open.address}/`);
    }),
  );
};

/** What somebody may have put into a link to the sign-in screen, and where it leads. */
const WANTED: readonly (readonly [to: string, path: string])[] = [
  ['//evil.example/x', '/'],
  ['/\\evil.example/x', '/'],
  ['/\t/evil.example', '/'],
  ['\\\\evil.example', '/'],
  ['https://evil.example/settings', '/'],
  ['https:evil.example', '/'],
  ['javascript:alert(1)', '/'],
  ['data:text/html,x', '/'],
  ['settings', '/'],
  ['/api/v1/auth/me', '/'],
  ['/.//evil.example', '/'],
  ['/settings', '/settings'],
  ['/search?q=harbour', '/search'],
];

const afterwards = (check: Check): void => {
  checkInBrowser(check, 'after signing in, only an address of a screen of ours is followed', () =>
    browser().at(closed.address, `/sign-in?${new URLSearchParams({ to: '/\\evil.example' })}`, async ({ page }) => {
      await signIn(page, 'ann', PASSWORD);
      await page.getByText('Recently added').waitFor();
      for (const [to, path] of WANTED) {
        await page.goto(`${closed.address}/sign-in?${new URLSearchParams({ to })}`);
        await page.waitForURL((url) => url.pathname !== '/sign-in');
        assert.is(new URL(page.url()).pathname, path, to);
        assert.is(new URL(page.url()).origin, closed.address, to);
      }
    }),
  );
  if (!IS_FULL)
    check.skip('a session that ends in the reader is asked for over the page that is read', 'only in a full run');
  else
    checkInBrowser(check, 'a session that ends in the reader is asked for over the page that is read', () =>
      browser().at(closed.address, '/', async ({ page, context, expects }) => {
        expects('401');
        await signIn(page, 'ann', PASSWORD);
        await page
          .getByRole('link', { name: /six-pages/ })
          .first()
          .click();
        await page.getByRole('link', { name: 'Read', exact: true }).click();
        await page.waitForURL(/\/read\//);
        await page.keyboard.press('ArrowRight');
        const address = page.url();
        await context.clearCookies();
        await page.keyboard.press('ArrowRight');
        await page.getByRole('heading', { name: 'Your session has ended' }).waitFor();
        await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
        await page.getByRole('button', { name: 'Sign in', exact: true }).click();
        await page.getByRole('heading', { name: 'Your session has ended' }).waitFor({ state: 'hidden' });
        assert.is(new URL(page.url()).pathname, new URL(address).pathname);
      }),
    );
};

const inGerman = (check: Check): void => {
  checkInBrowser(check, 'errors are said in German, and a sentence of the server is marked as English', () =>
    browser().at(
      closed.address,
      '/sign-in',
      async ({ page, expects }) => {
        expects('401');
        expects('400');
        const say = async (text: string) => page.getByRole('alert').getByText(text, { exact: true }).waitFor();
        await page.getByLabel('Benutzername oder E-Mail-Adresse').fill('ann');
        await page.getByLabel('Passwort', { exact: true }).fill('wrong');
        await page.getByRole('button', { name: 'Anmelden', exact: true }).click();
        await say('Benutzername oder Passwort ist falsch.');
        await page.getByLabel('Passwort', { exact: true }).fill(PASSWORD);
        await page.getByRole('button', { name: 'Anmelden', exact: true }).click();
        await page.waitForURL((url) => url.pathname === '/');
        await page.goto(`${closed.address}/libraries/new`);
        const path = page.getByLabel('Pfad des Ordners');
        await path.fill(join(folder, 'nothing'));
        await page.getByRole('button', { name: 'Öffnen', exact: true }).click();
        await say('Diesen Ordner gibt es auf dem Server nicht. Prüfe den Pfad.');
        await path.fill('comics');
        await page.getByRole('button', { name: 'Öffnen', exact: true }).click();
        await page.locator('[role=alert] [lang=en]').getByText('The path must be absolute: comics').waitFor();
      },
      { locale: 'de-DE' },
    ),
  );
};

const UNKNOWN = '01890000-0000-7000-8000-000000000000';

const setUp = async ({ address }: Program): Promise<void> => {
  const { status } = await fetch(`${address}/api/v1/setup/initialize`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ username: 'ann', email: 'ann@example.org', password: PASSWORD }),
  });
  assert.is(status, 200);
};

block(
  'the sign-in screens of the web client',
  (check) => {
    offers(check);
    registration(check);
    afterwards(check);
    inGerman(check);
  },
  {
    before: async () => {
      folder = mkdtempSync(join(tmpdir(), 'longbox-auth-'));
      const shelf = join(folder, 'comics', 'Harbour');
      mkdirSync(shelf, { recursive: true });
      writeFileSync(join(shelf, 'six-pages.cbz'), readFileSync(fixture('books/six-pages.cbz')));
      inbox = await openInbox();
      closed = await startProgram([join(folder, 'comics'), '--data', join(folder, 'closed')]);
      open = await startProgram([join(folder, 'comics'), '--data', join(folder, 'open')], {
        SVC_AUTH__REGISTRATION_ENABLED: 'true',
        SVC_AUTH__EMAIL_CONFIRMATION_REQUIRED: 'true',
        SVC_EMAIL__SMTP_HOST: '127.0.0.1',
        SVC_EMAIL__SMTP_PORT: String(inbox.port),
      });
      for (const one of [open, closed]) {
        await setUp(one);
        await until('the scan completes', () => /scan of comics completed/.test(one.printed()));
      }
    },
    after: async () => {
      await Promise.all([kill(open), kill(closed)]);
      await inbox.close();
      rmSync(folder, { recursive: true, force: true });
    },
    deadlineS: 180,
  },
);
