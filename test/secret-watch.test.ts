// The search for secrets in what servers say finds them, wherever one would turn up.
import { assert, block, type Check } from './kit.js';
import { headerText, leaks, SecretWatch } from './secret-watch.js';

const PASSWORD = 'gulls over the pier 4';
const TOKEN = 'gaqRnLpSGuYeEUDL2JOXALt-34Blt3unT3q-k3GpoZ0';
const JWT = 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJhIn0.c2lnbmF0dXJlIG9mIHRoaXMgdG9rZW4';
const KEY = `svc_${'a1b2c3d4'}_${'x'.repeat(40)}`;
const basic = `Basic ${Buffer.from(`ann:${PASSWORD}`).toString('base64')}`;

/** What it found, taken from the runner of the tests, which would fail. */
const found = (use: (watch: SecretWatch) => void): readonly string[] => {
  const before = leaks.length;
  use(new SecretWatch());
  return leaks.splice(before);
};

const error = (message: string) => ({ status: 400, cookies: '', text: JSON.stringify({ message }) });

const archivePasswords: readonly (readonly [path: string, body: unknown])[] = [
  ['/admin/settings/archive.passwords', { value: `first\n${PASSWORD}` }],
  ['/admin/settings/bulk', { updates: [{ key: 'archive.passwords', value: `first\r\n${PASSWORD}` }] }],
  ['/setup/settings', { settings: { 'archive.passwords': PASSWORD } }],
];

const planted: readonly (readonly [what: string, use: (watch: SecretWatch) => void])[] = [
  [
    'a password of a body, in the error that refuses it',
    (watch) => {
      watch.heard({ body: { newPassword: PASSWORD } });
      watch.said(error(`${PASSWORD} is too long`), 'POST /x');
    },
  ],
  ...archivePasswords.flatMap(([path, body]) =>
    [body, JSON.stringify(body)].map(
      (sent) =>
        [
          `a password of archives, set by ${typeof sent} to ${path}`,
          (watch: SecretWatch) => {
            watch.heard({ path, body: sent });
            watch.said(error(`${PASSWORD} is no setting`), path);
          },
        ] as const,
    ),
  ),
  [
    'a password of Basic, in a warning',
    (watch) => {
      const { onWarning } = watch.overheard({ onFault: () => 0, onNote: () => 0, onWarning: () => 0 });
      watch.heard({ headers: { authorization: basic } });
      onWarning(`wrong: ${PASSWORD}`);
      watch.searchLog();
    },
  ],
  [
    'a token that is used after it was logged, in the cause of a fault',
    (watch) => {
      watch.logged(new Error('failed', { cause: new Error(`with ${TOKEN}`) }));
      watch.heard({ body: { token: TOKEN } });
      watch.searchLog();
    },
  ],
  [
    'a refresh token of a cookie, in a later answer',
    (watch) => {
      watch.said({ status: 200, cookies: `refresh_token=${TOKEN}; HttpOnly`, text: '' }, 'POST /login');
      watch.said({ status: 200, cookies: '', text: JSON.stringify({ note: TOKEN }) }, 'GET /sessions');
    },
  ],
  [
    'a key that an answer told before',
    (watch) => {
      for (const address of ['POST /api-keys', 'GET /api-keys'])
        watch.said({ status: 200, cookies: '', text: JSON.stringify({ key: KEY }) }, address);
    },
  ],
  [
    'a token in the address of the answer whose cookie tells it',
    (watch) => {
      const headers = headerText([
        ['Set-Cookie', `auth_token=${TOKEN}`],
        ['Location', `/page?t=${TOKEN}`],
      ]);
      watch.said({ status: 303, cookies: `auth_token=${TOKEN}`, headers, text: '' }, 'GET /auth/callback');
    },
  ],
  [
    'what a provider sends in an address, in a log',
    (watch) => {
      watch.heard({ path: `/api/v1/auth/oidc/home/callback?code=${TOKEN}` });
      watch.logged(`failed: ${TOKEN}`);
      watch.searchLog();
    },
  ],
  [
    'the nonce of a sign-on, in a log',
    (watch) => {
      const text = JSON.stringify({ redirectUrl: `https://login.example/a?nonce=${TOKEN}&scope=openid` });
      watch.said({ status: 200, cookies: '', text }, 'POST /auth/oidc/home/login');
      watch.logged(TOKEN);
      watch.searchLog();
    },
  ],
  [
    'the code of an app, in a later answer',
    (watch) => {
      const headers = headerText([['Location', `example.app:/in?code=${TOKEN}&state=of-the-app`]]);
      watch.said({ status: 303, cookies: '', headers, text: '' }, 'GET /auth/oidc/home/callback');
      watch.said(error(`unknown code ${TOKEN}`), 'POST /auth/oidc/token');
    },
  ],
  [
    'the code and the verifier of an app, in a log',
    (watch) => {
      watch.heard({ path: '/api/v1/auth/oidc/token', body: { code: TOKEN, codeVerifier: PASSWORD } });
      watch.logged(`${PASSWORD}`);
      watch.searchLog();
    },
  ],
  [
    'a code of the body, in a log',
    (watch) => {
      watch.heard({ path: '/api/v1/auth/oidc/token', body: { code: TOKEN } });
      watch.logged(TOKEN);
      watch.searchLog();
    },
  ],
  [
    'a secret of a configuration file, in a log',
    (watch) => {
      watch.addFile(`auth:\n  oidc: {client_secret: "${TOKEN}"}`);
      watch.logged(TOKEN);
      watch.searchLog();
    },
  ],
  [
    'the encryption key, in a log',
    (watch) => {
      watch.addSetting('SVC_ENCRYPTION_KEY', TOKEN);
      watch.logged(TOKEN);
      watch.searchLog();
    },
  ],
  [
    'what was logged before ten thousand other lines',
    (watch) => {
      watch.heard({ body: { password: PASSWORD } });
      watch.logged(PASSWORD);
      for (let n = 0; n < 10_000; n += 1) watch.logged('fine');
      watch.searchLog();
    },
  ],
  [
    'what was logged after ten thousand other lines',
    (watch) => {
      watch.heard({ body: { password: PASSWORD } });
      for (let n = 0; n < 10_000; n += 1) watch.logged('fine');
      watch.logged(PASSWORD);
      watch.searchLog();
    },
  ],
  [
    'a secret that was logged and then pushed out by three thousand others',
    (watch) => {
      watch.heard({ body: { password: PASSWORD } });
      watch.logged(PASSWORD);
      for (let n = 0; n < 3000; n += 1) watch.add(`another secret ${n}`);
      watch.searchLog();
    },
  ],
  [
    'what looks like a token, a key, a hash or a link, unseen before',
    (watch) => {
      for (const text of [JWT, KEY, '$argon2id$v=19$m=19456', `https://x/y#token=${TOKEN}`])
        watch.search(text, 'a log');
    },
  ],
];

block('the search for secrets', (check: Check) => {
  for (const [what, use] of planted) check(`finds ${what}`, () => assert.ok(found(use).length > 0));
  check('says where', () => assert.match(found(planted[0]?.[1] ?? (() => 0))[0] ?? '', /the answer 400 to POST \/x/));
  check('finds nothing where there is nothing, nor the answer that tells a secret', () => {
    const none = found((watch) => {
      watch.heard({ headers: { authorization: basic }, body: { username: 'ann', password: PASSWORD } });
      watch.said(
        { status: 200, cookies: `auth_token=${JWT}`, text: JSON.stringify({ access_token: JWT }) },
        'POST /login',
      );
      watch.said(error('The name or the password is wrong.'), 'POST /login');
      const headers = headerText([
        ['Set-Cookie', `auth_token=${JWT}`],
        ['Location', 'example.app:/in?code=abcdefghij&state=of-the-app'],
      ]);
      watch.heard({ path: '/api/v1/tasks?state=completed&code=waiting-long' });
      for (const path of ['GET /auth/oidc/home/callback', 'GET /auth/oidc/other/callback'])
        watch.said({ status: 303, cookies: '', headers: headers.replace('abc', path.slice(15, 18)), text: '' }, path);
      watch.logged('a mail was written to /tmp/mails/1.eml; completed, waiting-long, of-the-app');
      watch.searchLog();
    });
    assert.equal(none, []);
  });
});
