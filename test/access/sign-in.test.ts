// Guessing passwords: how often, from where, for whom; and what the refusals say.
import { SYSTEM } from '../../core/store/feed.js';
import { type Answer, type TempApp, tempApp } from '../app.js';
import { assert, block, type Check } from '../kit.js';

const ADMIN = { username: 'Admin', email: 'admin@example.com', password: 'Secret123!' };
const MINUTE = 60_000;

const withApp = async (use: (temp: TempApp) => Promise<void>): Promise<void> => {
  const temp = await tempApp();
  try {
    assert.is((await temp.call('POST', '/api/v1/setup/initialize', { body: ADMIN, address: '10.9.9.9' })).status, 200);
    await use(temp);
  } finally {
    await temp.close();
  }
};

const signIn = (temp: TempApp, address: string, password = 'wrong', username = 'admin'): Promise<Answer> =>
  temp.call('POST', '/api/v1/auth/login', { body: { username, password }, address });

/** Tries one after the other, a second apart, until one is refused; gives how many were compared. */
const guessesUntilRefused = async (
  temp: TempApp,
  address: (n: number) => string,
  username: (n: number) => string = () => 'admin',
): Promise<number> => {
  for (let n = 0; n < 2000; n += 1) {
    temp.advance(1);
    if (n % 40 === 39) temp.advance(1000); // not what is measured here: requests a second
    if ((await signIn(temp, address(n), 'wrong', username(n))).status === 429) return n;
  }
  return 2000;
};

/** Adds a second user by SQL, with the administrator's password. */
const addUser = async (temp: TempApp, name: string): Promise<void> => {
  await temp.app.db.write(SYSTEM, 'interactive', (tx) =>
    tx.run(
      `INSERT INTO user (uuid, username, username_key, email, email_key, password_hash, role, created_at, updated_at)
       SELECT randomblob(16), ?1, ?1, ?1, ?1, password_hash, 'reader', 0, 0 FROM user LIMIT 1`,
      [name],
    ),
  );
};

const waits = (check: Check): void => {
  check('waits grow with each failure, and Retry-After, body and actual wait agree', () =>
    withApp(async (temp) => {
      for (let n = 0; n < 10; n += 1) assert.is((await signIn(temp, '10.0.0.1')).status, 401);
      for (const seconds of [60, 120, 240]) {
        const refused = await signIn(temp, '10.0.0.1');
        assert.equal(
          [refused.status, refused.header('retry-after'), refused.json.details.retry_after],
          [429, String(seconds), seconds],
        );
        assert.match(refused.json.message, new RegExp(`in ${seconds} s`));
        temp.advance(seconds * 1000 - 1);
        const early = await signIn(temp, '10.0.0.1');
        assert.equal([early.status, early.header('retry-after')], [429, '1']);
        temp.advance(1);
        assert.is((await signIn(temp, '10.0.0.1')).status, 401);
      }
    }),
  );
  check('a wait is never longer than an hour', () =>
    withApp(async (temp) => {
      let longest = 0;
      for (let n = 0; n < 40; n += 1) {
        const refused = await signIn(temp, '10.0.0.1');
        const seconds = Number(refused.header('retry-after') ?? 0);
        longest = Math.max(longest, seconds);
        temp.advance(seconds * 1000 + 100);
      }
      assert.is(longest, 3600);
    }),
  );
  check('concurrent guesses are counted before they are compared', () =>
    withApp(async (temp) => {
      const all = await Promise.all(Array.from({ length: 40 }, () => signIn(temp, '10.0.0.1')));
      assert.equal(
        [401, 429].map((status) => all.filter((one) => one.status === status).length),
        [10, 30],
      );
      assert.ok(
        all.every((one) => one.status !== 429 || one.header('retry-after') === String(one.json.details.retry_after)),
      );
    }),
  );
  check('a success clears the counter of its own account at its own address', () =>
    withApp(async (temp) => {
      for (let round = 0; round < 5; round += 1) {
        for (let n = 0; n < 9; n += 1) assert.is((await signIn(temp, '10.0.0.1')).status, 401);
        assert.is((await signIn(temp, '10.0.0.1', ADMIN.password)).status, 200);
        temp.advance(MINUTE);
      }
    }),
  );
  check("logins with one's own account do not buy guesses at another one", () =>
    withApp(async (temp) => {
      await addUser(temp, 'mallory');
      let compared = 0;
      for (let n = 0; n < 100; n += 1) {
        temp.advance(250);
        assert.is((await signIn(temp, '10.0.0.1', ADMIN.password, 'mallory')).status, 200);
        if ((await signIn(temp, '10.0.0.1')).status === 401) compared += 1;
      }
      assert.is(compared, 10);
    }),
  );
};

const networks = (check: Check): void => {
  check('all addresses of one /64 are one peer, and two of them are two', () =>
    withApp(async (temp) => {
      assert.is(await guessesUntilRefused(temp, (n) => `2001:db8:1:2::${(n + 1).toString(16)}`), 10);
      assert.is((await signIn(temp, '2001:db8:1:2:ffff::1')).status, 429);
      assert.is((await signIn(temp, '2001:db8:1:3::1')).status, 401);
    }),
  );
  check('an IPv4 address is one peer however it is written', () =>
    withApp(async (temp) => {
      const spellings = ['10.0.0.1', '::ffff:10.0.0.1', '::FFFF:a00:1', '0:0:0:0:0:ffff:0a00:0001'];
      assert.is(await guessesUntilRefused(temp, (n) => spellings[n % 4] ?? ''), 10);
      assert.is((await signIn(temp, '::ffff:10.0.0.2')).status, 401);
    }),
  );
  check('a peer that tries one account after the other is stopped too', () =>
    withApp(async (temp) => {
      const compared = await guessesUntilRefused(
        temp,
        () => '10.0.0.1',
        (n) => `user-${n}`,
      );
      assert.is(compared, 50);
      assert.is((await signIn(temp, '10.0.0.2', 'wrong', 'user-77')).status, 401, 'another peer is not');
    }),
  );
  check('an attacker with a whole /48 is stopped too', () =>
    withApp(async (temp) => {
      const compared = await guessesUntilRefused(
        temp,
        (n) => `2001:db8:7:${n.toString(16)}::1`,
        (n) => `user-${n}`,
      );
      assert.is(compared, 500);
      assert.is((await signIn(temp, '2001:db8:8::1', 'wrong', 'user-77')).status, 401, 'the next /48 is not');
    }),
  );
};

const owners = (check: Check): void => {
  check('an account under attack from everywhere still opens for its owner, known address or not', () =>
    withApp(async (temp) => {
      assert.is((await signIn(temp, '192.168.0.5', ADMIN.password)).status, 200);
      for (let n = 0; n < 300; n += 1) {
        temp.advance(100);
        await signIn(temp, `10.1.${n >> 6}.${n & 63}`);
      }
      const stranger = await guessesUntilRefused(temp, () => '10.2.0.1');
      assert.is(stranger, 3, 'strangers have fewer tries now');
      assert.is((await signIn(temp, '172.16.0.1', ADMIN.password)).status, 200, 'the owner at a new address');
      for (let n = 0; n < 9; n += 1) assert.is((await signIn(temp, '192.168.0.5')).status, 401);
      assert.is((await signIn(temp, '192.168.0.5', ADMIN.password)).status, 200, 'the owner who mistypes at home');
    }),
  );
  check('a user who signed in from an address before is not stopped by failures of others there', () =>
    withApp(async (temp) => {
      assert.is((await signIn(temp, '10.0.0.1', ADMIN.password)).status, 200);
      assert.is(
        await guessesUntilRefused(
          temp,
          () => '10.0.0.1',
          (n) => `user-${n}`,
        ),
        50,
      );
      assert.is((await signIn(temp, '10.0.0.1', 'wrong', 'nobody')).status, 429);
      assert.is((await signIn(temp, '10.0.0.1', ADMIN.password)).status, 200);
    }),
  );
};

const rates = (check: Check): void => {
  check('every answer of a public sign-in route says how many requests are left', () =>
    withApp(async (temp) => {
      const limits = (answer: Answer) =>
        ['limit', 'remaining', 'reset'].map((word) => answer.header(`x-ratelimit-${word}`));
      const address = '10.0.0.1';
      assert.equal(limits(await temp.call('GET', '/api/v1/setup/status', { address })), ['50', '49', '1']);
      assert.equal(limits(await signIn(temp, address)), ['50', '48', '1']);
      assert.equal(limits(await temp.call('POST', '/api/v1/auth/login', { address, body: '{' })), ['50', '47', '1']);
      assert.equal(limits(await temp.call('POST', '/api/v1/setup/initialize', { address, body: ADMIN })), [
        '50',
        '46',
        '1',
      ]);
      temp.advance(1000);
      assert.equal(limits(await signIn(temp, address, ADMIN.password)), ['50', '49', '1']);
      assert.equal(limits(await temp.call('GET', '/health', { address })), [undefined, undefined, undefined]);
    }),
  );
  check('a peer has a burst of 50 requests and then ten a second', () =>
    withApp(async (temp) => {
      const address = '10.0.0.1';
      const ask = () => temp.call('GET', '/api/v1/setup/status', { address });
      for (let n = 0; n < 50; n += 1) assert.is((await ask()).status, 200);
      const refused = await ask();
      assert.equal(
        [
          refused.status,
          refused.header('retry-after'),
          refused.header('x-ratelimit-remaining'),
          refused.header('x-ratelimit-reset'),
        ],
        [429, '1', '0', '5'],
      );
      assert.match(refused.json.message, /in 1 s/);
      temp.advance(1000);
      for (let n = 0; n < 10; n += 1) assert.is((await ask()).status, 200);
      assert.is((await ask()).status, 429);
      assert.is((await temp.call('GET', '/api/v1/setup/status', { address: '10.0.0.2' })).status, 200);
    }),
  );
};

block('sign-in', (check) => {
  waits(check);
  networks(check);
  owners(check);
  rates(check);
});
