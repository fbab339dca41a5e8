// One's own account, and what other people's apps need, in a real browser: what the screens show is tried with the server.
import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { PERMISSIONS } from '../../core/model/permissions.js';
import { fixture } from '../../fixtures/index.js';
import { appsEn } from '../../http/web/client/messages/apps-en.js';
import { assert, block, type Check } from '../kit.js';
import { kill, type Program, startProgram } from '../system/program.js';
import { complaintsOfAxe } from './axe.js';
import { checkInBrowser, Visits } from './browser.js';

const PASSWORD = 'Fog over the harbour 7!';

let folder = '';
let program: Program;
let visits: Visits | undefined;

/** Started by the first fact that needs it. */
const browser = (): Visits => {
  visits ??= new Visits();
  return visits;
};

/** At a path, signed in. */
const at = (path: string, use: Parameters<Visits['at']>[2]): Promise<void> =>
  browser().at(program.address, `/sign-in?${new URLSearchParams({ to: path })}`, async (visit) => {
    const { page } = visit;
    await page.getByLabel('User name or e-mail address').fill('ann@example.org');
    await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await page.waitForURL((url) => url.pathname === path);
    await use(visit);
  });

const statusOf = async (path: string, headers: Readonly<Record<string, string>>): Promise<number> => {
  const answer = await fetch(program.address + path, { headers });
  await answer.arrayBuffer();
  return answer.status;
};

const basicOf = (name: string, password: string): Readonly<Record<string, string>> => ({
  authorization: `Basic ${Buffer.from(`${name}:${password}`).toString('base64')}`,
});

/** The dark modules of the code that is shown, and how many there are on a side. */
const codeOf = async (page: Page): Promise<{ readonly dark: number; readonly side: number }> => {
  const code = page.getByRole('img', { name: /^QR code/ }).last();
  const side = Number((await code.getAttribute('viewBox'))?.split(' ')[2]) - 8;
  const path = (await code.locator('path').getAttribute('d')) ?? '';
  return { dark: path.split('M').length - 1, side };
};

const account = (check: Check): void => {
  checkInBrowser(check, 'name and address can be changed, another address only with the password', () =>
    at('/settings', async ({ page, expects }) => {
      expects('400');
      await page.getByLabel('User name').fill('Ann');
      await page.getByLabel('E-mail address').fill('new@example.org');
      const form = page.getByRole('region', { name: 'Account' });
      await form.getByLabel('Current password').fill('not this one');
      await form.getByRole('button', { name: 'Save' }).click();
      await page.getByText('The current password is wrong.').waitFor();
      await form.getByLabel('Current password').fill(PASSWORD);
      await form.getByRole('button', { name: 'Save' }).click();
      await page.getByText('Saved.').waitFor();
      assert.is(await form.getByLabel('Current password').count(), 0);
      await page.reload();
      await page.getByRole('heading', { name: 'Account' }).waitFor();
      assert.equal(
        [await page.getByLabel('User name').inputValue(), await page.getByLabel('E-mail address').inputValue()],
        ['Ann', 'new@example.org'],
      );
      await page.getByLabel('E-mail address').fill('ann@example.org');
      await form.getByLabel('Current password').fill(PASSWORD);
      await form.getByRole('button', { name: 'Save' }).click();
      await page.getByText('Saved.').waitFor();
    }),
  );
};

const keys = (check: Check): void => {
  check('the permissions that can be chosen are those that routes ask for', () => {
    const asked = readFileSync(fixture('spec/permissions.txt'), 'utf8');
    const expected = PERMISSIONS.filter((one) => new RegExp(`\\b${one}\\b`).test(asked));
    assert.equal(Object.keys(appsEn.rights).sort(), [...expected].sort());
  });
  checkInBrowser(check, 'a key is shown once, opens what it may, and is revoked', () =>
    at('/settings/apps', async ({ page, context }) => {
      await context.grantPermissions(['clipboard-read', 'clipboard-write']);
      const address = await page.getByLabel('OPDS catalogue', { exact: true }).inputValue();
      assert.is(address, `${program.address}/opds/v1.2/catalog`);
      await page.getByText('These addresses work only on this computer.').waitFor();
      assert.is(await page.getByLabel('Your user name', { exact: true }).inputValue(), 'Ann');
      await page.getByLabel('Name of the key').fill('Tablet');
      const scope = page.getByLabel('What it may do');
      await scope.selectOption({ label: 'Read only' });
      await page.getByText('Choose individual permissions').click();
      assert.not.ok(await page.getByLabel('Record reading progress').isChecked());
      await page.getByLabel('View collections').uncheck();
      assert.is(await scope.inputValue(), 'chosen');
      assert.equal(await complaintsOfAxe(page), []);
      await page.getByLabel('Expires').selectOption({ label: 'After 30 days' });
      await page.getByRole('button', { name: 'Create key' }).click();
      const shown = page.getByLabel('Your new key “Tablet”', { exact: true });
      const key = await shown.inputValue();
      await page.getByRole('button', { name: 'Copy Your new key “Tablet”' }).click();
      await page.getByText('Copied').waitFor();
      assert.is(await page.evaluate('navigator.clipboard.readText()'), key);
      await page.getByRole('button', { name: 'QR code Your new key “Tablet”' }).click();
      const { dark, side } = await codeOf(page);
      assert.is((side - 17) % 4, 0, 'a size that the standard knows');
      assert.ok(dark > side * side * 0.35 && dark < side * side * 0.65, `${dark} of ${side * side}`);
      const path = new URL(address).pathname;
      assert.is(await statusOf(path, basicOf('ann', key)), 200);
      assert.is(await statusOf('/api/v1/users', { 'x-api-key': key }), 403);
      assert.is(await statusOf('/api/v1/collections', { 'x-api-key': key }), 403);
      assert.is(await statusOf('/api/v1/readlists', { 'x-api-key': key }), 200);
      await page.getByRole('button', { name: 'Done' }).click();
      await shown.waitFor({ state: 'detached' });
      assert.not.ok((await page.content()).includes(key));
      await page.getByRole('button', { name: 'Revoke Tablet' }).dblclick();
      await page.getByRole('button', { name: 'Revoke for good Tablet' }).click();
      await page.getByText('You have no keys yet.').waitFor();
      assert.is(await statusOf(path, basicOf('ann', key)), 401);
    }),
  );
  checkInBrowser(check, 'the secret of e-readers is shown once, signs them in, and is removed', () =>
    at('/settings/apps', async ({ page }) => {
      await page.getByRole('button', { name: 'Create secret' }).click();
      const secret = await page.getByLabel('Your new secret', { exact: true }).inputValue();
      const device = { 'x-auth-user': 'ann', 'x-auth-key': createHash('md5').update(secret).digest('hex') };
      assert.is(await statusOf('/koreader/users/auth', device), 200);
      await page.getByRole('button', { name: 'Remove Secret for e-reader sync' }).click();
      await page.getByText('You have no secret yet.').waitFor();
      assert.not.ok((await page.content()).includes(secret));
      assert.is(await statusOf('/koreader/users/auth', device), 401);
    }),
  );
};

block(
  'account, keys and apps in the web client',
  (check) => {
    account(check);
    keys(check);
  },
  {
    before: async () => {
      folder = mkdtempSync(join(tmpdir(), 'longbox-apps-'));
      program = await startProgram(['--data', join(folder, 'data')]);
      const { status } = await fetch(`${program.address}/api/v1/setup/initialize`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ username: 'ann', email: 'ann@example.org', password: PASSWORD }),
      });
      assert.is(status, 200);
    },
    after: async () => {
      await kill(program);
      rmSync(folder, { recursive: true, force: true });
    },
    deadlineS: 120,
  },
);
