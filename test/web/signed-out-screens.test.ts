// Every screen shown before signing in, in a real browser: no axe violations and no horizontal scrolling, in both themes, on a phone and on
// a desktop.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { type Inbox, openInbox } from '../access/post-office.js';
import { until } from '../app.js';
import { assert, block, type Check, IS_FULL } from '../kit.js';
import { kill, type Program, startProgram } from '../system/program.js';
import { complaintsOfAxe } from './axe.js';
import { checkInBrowser, DESKTOP, PHONE, Visits } from './browser.js';

const PASSWORD = 'Fog over the harbour 7!';

let folder = '';
/** Allows registration and sends mail. */
let open: Program;
/** Has no account yet. */
let fresh: Program;
let inbox: Inbox;
let visits: Visits | undefined;

/** Started by the first test that needs it. */
const browser = (): Visits => {
  visits ??= new Visits();
  return visits;
};

/** Checks the current screen in each theme and on each device. */
const checkLooks = async (page: Page, what: string): Promise<void> => {
  for (const viewport of [PHONE, DESKTOP])
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.setViewportSize(viewport);
      await page.emulateMedia({ colorScheme });
      const look = `${what}, ${viewport.width} pixels wide, ${colorScheme}`;
      assert.equal(await complaintsOfAxe(page), [], look);
      const wide = (await page.evaluate('document.documentElement.scrollWidth')) as number;
      assert.ok(wide <= viewport.width, `${look}: ${wide} pixels are needed`);
    }
};

/** The link in the latest mail, once this many have arrived; mails do not know the address of the server. */
const linkOf = async (mails: number): Promise<string> => {
  await until(`mail ${mails} is there`, () => inbox.received.length === mails);
  return open.address + (/\/auth\/\S+#token=[\w-]{43}/.exec(inbox.received.at(-1)?.text ?? '')?.[0] ?? '');
};

const signingIn = (check: Check): void => {
  checkInBrowser(check, 'set-up has no axe violations', () =>
    browser().at(fresh.address, '/setup', async ({ page }) => {
      await page.getByRole('heading', { name: 'Welcome to Longbox' }).waitFor();
      await checkLooks(page, 'set-up');
    }),
  );
  checkInBrowser(check, 'sign-in has no axe violations, even after a wrong password or a refused sign-on', () =>
    browser().at(open.address, '/sign-in', async ({ page, expects }) => {
      expects('401');
      await page.getByRole('link', { name: 'Create an account' }).waitFor();
      await checkLooks(page, 'sign-in');
      await page.getByLabel('User name or e-mail address').fill('ann');
      await page.getByLabel('Password', { exact: true }).fill('not this one');
      await page.getByRole('button', { name: 'Sign in', exact: true }).click();
      await page.getByText('Wrong user name or password.').waitFor();
      await checkLooks(page, 'a wrong password');
      for (const reason of ['no-account', 'failed']) {
        await page.goto(`${open.address}/auth/sign-on?refused=${reason}`);
        await page.getByRole('heading', { name: 'Not signed in' }).waitFor();
        await checkLooks(page, `a sign-on refused: ${reason}`);
      }
    }),
  );
};

const byMail = (check: Check): void => {
  checkInBrowser(check, 'registration and verification have no axe violations', () =>
    browser().at(open.address, '/register', async ({ page, expects }) => {
      expects('400');
      expects('409');
      await page.getByRole('heading', { name: 'Create an account' }).waitFor();
      await checkLooks(page, 'registration');
      await page.getByLabel('User name').fill('ann');
      await page.getByLabel('E-mail address').fill('bea@example.org');
      await page.getByLabel('Password', { exact: true }).fill('gulls over the pier 4');
      await page.getByRole('button', { name: 'Create account' }).click();
      await page.getByText('This user name is taken.').waitFor();
      await checkLooks(page, 'a name that is taken');
      await page.getByLabel('User name').fill('bea');
      await page.getByRole('button', { name: 'Create account' }).click();
      await page.getByRole('heading', { name: 'Check your inbox' }).waitFor();
      await checkLooks(page, 'a mail to verify an address');
      await linkOf(1);
      await page.goto(`${open.address}/auth/verify-email#token=${'x'.repeat(43)}`);
      await page.getByRole('heading', { name: 'Verify your address' }).waitFor();
      await checkLooks(page, 'verification');
      await page.getByRole('button', { name: 'Verify and sign in' }).click();
      await page.getByText('This link has expired or was already used.').waitFor();
      await checkLooks(page, 'a link that was used');
    }),
  );
  checkInBrowser(check, 'resetting a password has no axe violations', () =>
    browser().at(open.address, '/forgot-password', async ({ page }) => {
      await page.getByRole('heading', { name: 'Forgot your password?' }).waitFor();
      await checkLooks(page, 'a forgotten password');
      await page.getByLabel('E-mail address').fill('ann@example.org');
      await page.getByRole('button', { name: 'Send link' }).click();
      await page.getByText('is on its way').waitFor();
      await checkLooks(page, 'a mail for a new password');
      const link = await linkOf(2);
      await page.goto(`${open.address}/auth/reset-password`);
      await page.getByText('This link is incomplete.').waitFor();
      await checkLooks(page, 'an incomplete link');
      await page.goto(link);
      await page.getByLabel('New password').fill('rain on the roof 99');
      await checkLooks(page, 'a new password');
      await page.getByRole('button', { name: 'Set password' }).click();
      await page.getByRole('heading', { name: 'Your password was changed' }).waitFor();
      await checkLooks(page, 'a password that was changed');
    }),
  );
};

block(
  'screens before signing in',
  (check) => {
    if (!IS_FULL) {
      check.skip('they have no axe violations', 'only in a full run');
      return;
    }
    signingIn(check);
    byMail(check);
  },
  {
    before: async () => {
      if (!IS_FULL) return;
      folder = mkdtempSync(join(tmpdir(), 'longbox-signed-out-'));
      inbox = await openInbox();
      fresh = await startProgram(['--data', join(folder, 'fresh')]);
      open = await startProgram(['--data', join(folder, 'open')], {
        SVC_AUTH__REGISTRATION_ENABLED: 'true',
        SVC_AUTH__EMAIL_CONFIRMATION_REQUIRED: 'true',
        SVC_EMAIL__SMTP_HOST: '127.0.0.1',
        SVC_EMAIL__SMTP_PORT: String(inbox.port),
      });
      const { status } = await fetch(`${open.address}/api/v1/setup/initialize`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ username: 'ann', email: 'ann@example.org', password: PASSWORD }),
      });
      assert.is(status, 200);
    },
    after: async () => {
      if (!IS_FULL) return;
      await Promise.all([kill(open), kill(fresh)]);
      await inbox.close();
      rmSync(folder, { recursive: true, force: true });
    },
    deadlineS: 120,
  },
);
