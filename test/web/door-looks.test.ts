// Every screen that is seen before signing in, in a real browser: nothing for axe to complain about, in both themes, on a phone and on a
// desktop.
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
/** Lets people register, and sends mails. */
let open: Program;
/** Has no account yet. */
let fresh: Program;
let inbox: Inbox;
let visits: Visits | undefined;

/** Started by the first fact that needs it. */
const browser = (): Visits => {
  visits ??= new Visits();
  return visits;
};

/** The screen as it is now, in each theme and on each device. */
const isFaultless = async (page: Page, what: string): Promise<void> => {
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

/** The link in the newest of so many mails, which do not know at which address the server is reached. */
const linkOf = async (mails: number): Promise<string> => {
  await until(`mail ${mails} is there`, () => inbox.received.length === mails);
  return open.address + (/\/auth\/\S+#token=[\w-]{43}/.exec(inbox.received.at(-1)?.text ?? '')?.[0] ?? '');
};

const comingIn = (check: Check): void => {
  checkInBrowser(check, 'axe finds nothing where the first account is made', () =>
    browser().at(fresh.address, '/setup', async ({ page }) => {
      await page.getByRole('heading', { name: 'Welcome to Longbox' }).waitFor();
      await isFaultless(page, 'set-up');
    }),
  );
  checkInBrowser(check, 'axe finds nothing where one signs in, also after a wrong password or a refused sign-on', () =>
    browser().at(open.address, '/sign-in', async ({ page, expects }) => {
      expects('401');
      await page.getByRole('link', { name: 'Create an account' }).waitFor();
      await isFaultless(page, 'sign-in');
      await page.getByLabel('User name or e-mail address').fill('ann');
      await page.getByLabel('Password', { exact: true }).fill('not this one');
      await page.getByRole('button', { name: 'Sign in', exact: true }).click();
      await page.getByText('Wrong user name or password.').waitFor();
      await isFaultless(page, 'a wrong password');
      for (const reason of ['no-account', 'failed']) {
        await page.goto(`${open.address}/auth/sign-on?refused=${reason}`);
        await page.getByRole('heading', { name: 'Not signed in' }).waitFor();
        await isFaultless(page, `a sign-on refused: ${reason}`);
      }
    }),
  );
};

const byMail = (check: Check): void => {
  checkInBrowser(check, 'axe finds nothing where an account is made and its address is verified', () =>
    browser().at(open.address, '/register', async ({ page, expects }) => {
      expects('400');
      expects('409');
      await page.getByRole('heading', { name: 'Create an account' }).waitFor();
      await isFaultless(page, 'registration');
      await page.getByLabel('User name').fill('ann');
      await page.getByLabel('E-mail address').fill('bea@example.org');
      await page.getByLabel('Password', { exact: true }).fill('gulls over the pier 4');
      await page.getByRole('button', { name: 'Create account' }).click();
      await page.getByText('This user name is taken.').waitFor();
      await isFaultless(page, 'a name that is taken');
      await page.getByLabel('User name').fill('bea');
      await page.getByRole('button', { name: 'Create account' }).click();
      await page.getByRole('heading', { name: 'Check your inbox' }).waitFor();
      await isFaultless(page, 'a mail to verify an address');
      await linkOf(1);
      await page.goto(`${open.address}/auth/verify-email#token=${'x'.repeat(43)}`);
      await page.getByRole('heading', { name: 'Verify your address' }).waitFor();
      await isFaultless(page, 'verification');
      await page.getByRole('button', { name: 'Verify and sign in' }).click();
      await page.getByText('This link has expired or was already used.').waitFor();
      await isFaultless(page, 'a link that was used');
    }),
  );
  checkInBrowser(check, 'axe finds nothing where a forgotten password is replaced', () =>
    browser().at(open.address, '/forgot-password', async ({ page }) => {
      await page.getByRole('heading', { name: 'Forgot your password?' }).waitFor();
      await isFaultless(page, 'a forgotten password');
      await page.getByLabel('E-mail address').fill('ann@example.org');
      await page.getByRole('button', { name: 'Send link' }).click();
      await page.getByText('is on its way').waitFor();
      await isFaultless(page, 'a mail for a new password');
      const link = await linkOf(2);
      await page.goto(`${open.address}/auth/reset-password`);
      await page.getByText('This link is incomplete.').waitFor();
      await isFaultless(page, 'an incomplete link');
      await page.goto(link);
      await page.getByLabel('New password').fill('rain on the roof 99');
      await isFaultless(page, 'a new password');
      await page.getByRole('button', { name: 'Set password' }).click();
      await page.getByRole('heading', { name: 'Your password was changed' }).waitFor();
      await isFaultless(page, 'a password that was changed');
    }),
  );
};

block(
  'the looks of the door',
  (check) => {
    if (!IS_FULL) {
      check.skip('axe finds nothing before one signs in', 'only in a full run');
      return;
    }
    comingIn(check);
    byMail(check);
  },
  {
    before: async () => {
      if (!IS_FULL) return;
      folder = mkdtempSync(join(tmpdir(), 'longbox-looks-'));
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
      await visits?.close();
      await Promise.all([kill(open), kill(fresh)]);
      await inbox.close();
      rmSync(folder, { recursive: true, force: true });
    },
    deadlineS: 120,
  },
);
