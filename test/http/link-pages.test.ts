// The pages that links in mails lead to: strict, the same for everybody, and of no effect until their button posts.
import { runInNewContext } from 'node:vm';
import { SCRIPT } from '../../http/pages/script.js';
import { PAGES } from '../../http/pages/surface.js';
import { pathOf } from '../../http/surface/surface.js';
import { type TempApp, tempApp } from '../app.js';
import { assert, block } from '../kit.js';

let temp: TempApp;

interface Sent {
  readonly address: string;
  readonly body: unknown;
}

/** Runs the script in a page at an address; `press` presses its button. */
const open = (hash: string) => {
  const sent: Sent[] = [];
  const shown: string[] = [];
  const listeners: ((event: object) => Promise<void>)[] = [];
  const button = { disabled: true };
  const said = { textContent: '' };
  const form = {
    dataset: { action: '../api/v1/auth/reset-password' },
    hidden: false,
    addEventListener: (_name: string, listener: (event: object) => Promise<void>) => listeners.push(listener),
  };
  const found: Readonly<Record<string, object>> = { form, button, '[role=status]': said };
  runInNewContext(SCRIPT, {
    document: { querySelector: (selector: string) => found[selector] },
    location: { hash, pathname: '/books/auth/reset-password' },
    history: { replaceState: (_state: unknown, _title: string, address: string) => shown.push(address) },
    URLSearchParams,
    FormData: class {
      *[Symbol.iterator]() {
        yield ['newPassword', 'rain on the harbour 9'];
      }
    },
    fetch: async (address: string, { body }: { readonly body: string }) => {
      sent.push({ address, body: JSON.parse(body) });
      return { ok: true, json: async () => ({ message: '<b>Done.</b>' }) };
    },
  });
  return { sent, shown, button, said, form, press: () => listeners[0]?.({ preventDefault: () => undefined }) };
};

block(
  'pages of links in mails',
  (check) => {
    check(
      'nothing inline, nothing from elsewhere, in no frame; the address of the page is told to nobody',
      async () => {
        for (const row of PAGES.rows) {
          const answer = await temp.call('GET', pathOf(PAGES, row));
          assert.is(answer.status, 200, row.id);
          const policy = answer.header('content-security-policy') ?? '';
          for (const part of ["default-src 'none'", "frame-ancestors 'none'", "base-uri 'none'", "form-action 'none'"])
            assert.ok(policy.includes(part), `${row.id}: ${part}`);
          assert.not.match(policy, /unsafe|\*|http/);
          assert.is(answer.header('referrer-policy'), 'no-referrer');
        }
        for (const path of ['/auth/verify-email', '/auth/reset-password']) {
          const html = (await temp.call('GET', path)).bytes.toString();
          assert.not.match(html, /<script>|<style|\son\w+=|\sstyle=|https?:|(?:src|href)="\//);
        }
      },
    );
    check('what stands in the address is not in the page', async () => {
      const [plain, odd] = [
        await temp.call('GET', '/auth/verify-email'),
        await temp.call('GET', '/auth/verify-email?token=<b>x'),
      ];
      assert.equal(odd.bytes, plain.bytes);
    });
    check('a page cannot be posted to, and there is no other', async () => {
      assert.is((await temp.call('POST', '/auth/verify-email', { body: {} })).status, 405);
      assert.is((await temp.call('GET', '/auth/other')).status, 404);
    });
    check('without a token the button stays off', () => {
      const page = open('');
      assert.equal([page.button.disabled, page.sent], [true, []]);
      assert.match(page.said.textContent, /incomplete/);
    });
    check(
      'opening a page posts nothing and takes the token out of the address; its button posts both, as text shown',
      async () => {
        const page = open('#token=abc');
        assert.equal([page.sent, page.shown, page.button.disabled], [[], ['/books/auth/reset-password'], false]);
        await page.press();
        assert.equal(page.sent, [
          { address: '../api/v1/auth/reset-password', body: { newPassword: 'rain on the harbour 9', token: 'abc' } },
        ]);
        assert.equal([page.said.textContent, page.form.hidden], ['<b>Done.</b>', true]);
      },
    );
  },
  {
    before: async () => {
      temp = await tempApp();
    },
    after: () => temp.close(),
  },
);
