// The search for secrets in what servers say finds them, wherever one would turn up.
import { assert, block, type Check } from './kit.js';
import { leaks, SecretWatch } from './secret-watch.js';

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

const planted: readonly (readonly [what: string, use: (watch: SecretWatch) => void])[] = [
  [
    'a password of a body, in the error that refuses it',
    (watch) => {
      watch.heard({ body: { newPassword: PASSWORD } });
      watch.said(error(`${PASSWORD} is too long`), 'POST /x');
    },
  ],
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
      watch.logged('a mail was written to /tmp/mails/1.eml');
      watch.searchLog();
    });
    assert.equal(none, []);
  });
});
