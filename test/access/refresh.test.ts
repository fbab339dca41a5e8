// Refresh tokens: each works once, what comes again ends the session, and what they keep alive.
import { pruneSessions } from '../../core/access/sessions.js';
import { type Answer, tempApp } from '../app.js';
import { assert, block, type Check } from '../kit.js';
import { openPeople, PASSWORD, type People, type Person } from './people.js';

let people: People;
let bob: Person;
let cy: Person;
let addresses = 0;

const DAY = 86_400_000;

interface Pair {
  readonly access: string;
  readonly refresh: string;
}

const post = (path: string, body: unknown, headers: Readonly<Record<string, string>> = {}): Promise<Answer> => {
  addresses += 1;
  return people.temp.call('POST', `/api/v1${path}`, {
    body,
    headers,
    address: `10.6.${addresses >> 8}.${addresses & 255}`,
  });
};

const pairIn = ({ status, json }: Answer): Pair => {
  assert.is(status, 200, JSON.stringify(json));
  return { access: json.access_token, refresh: json.refresh_token };
};

const login = async (name = 'ann'): Promise<Pair> => pairIn(await people.signIn(name));
/** As an administrator who signs in anew: time goes on in these tests. */
const administer = async (id: string, body: object): Promise<void> => {
  const { access } = pairIn(await people.signIn('Root', 'Root-passw0rd!'));
  assert.is((await people.ask(access, 'PATCH', `/users/${id}`, { body })).status, 200);
};

const refresh = (text: string): Promise<Answer> => post('/auth/refresh', { refreshToken: text });
const isIn = async ({ access }: Pair): Promise<boolean> => (await people.ask(access, 'GET', '/auth/me')).status === 200;

const isInvalid = ({ status, json }: Answer): void =>
  assert.equal([status, json.message], [401, 'Invalid refresh token']);

const refusals = (check: Check): void => {
  check('what is no refresh token is refused, an access token included', async () => {
    const pair = await login();
    for (const text of [
      '',
      'x',
      pair.access.slice(0, 200),
      `${pair.refresh}x`,
      pair.refresh.toLowerCase(),
      "' OR 1=1 --",
    ])
      isInvalid(await refresh(text));
    isInvalid(await post('/auth/refresh', {}));
    isInvalid(await post('/auth/refresh', undefined));
    assert.is((await post('/auth/refresh', { refreshToken: 7 })).status, 400);
    const asAccess = await people.ask(pair.refresh, 'GET', '/auth/me');
    assert.is(asAccess.json.message, 'Invalid JWT token: malformed');
    assert.ok(await isIn(pair));
  });
  check('one that comes a second time ends the session of both, whoever came first', async () => {
    const first = await login();
    const second = pairIn(await refresh(first.refresh));
    const third = pairIn(await refresh(second.refresh));
    const other = await login();
    isInvalid(await refresh(first.refresh));
    for (const pair of [first, second, third]) assert.not.ok(await isIn(pair));
    isInvalid(await refresh(third.refresh));
    assert.ok(await isIn(other), 'another session of the same person goes on');
  });
  check('of 20 at the same moment one gets a pair, and the session ends', async () => {
    const { refresh: text } = await login();
    const answers = await Promise.all(Array.from({ length: 20 }, () => refresh(text)));
    const won = answers.filter(({ status }) => status === 200);
    assert.is(won.length, 1);
    for (const answer of answers) if (answer.status !== 200) isInvalid(answer);
    for (const answer of won) assert.not.ok(await isIn(pairIn(answer)));
  });
  check('one that is not used for its days has expired, and so has the session', async () => {
    const pair = await login();
    people.temp.advance(30 * DAY);
    isInvalid(await refresh(pair.refresh));
    assert.not.ok(await isIn(pair));
  });
  check('those of a disabled account, and of before another password, are refused', async () => {
    const patch = (body: object) => administer(bob.id, body);
    const [one, two] = [await login('bob'), await login('bob')];
    await patch({ isActive: false });
    isInvalid(await refresh(one.refresh));
    await patch({ isActive: true });
    isInvalid(await refresh(two.refresh));
    const three = await login('bob');
    await patch({ password: 'another one' });
    isInvalid(await refresh(three.refresh));
  });
  check('one that was used a hundred times ago ends the session too, and few are stored', async () => {
    const first = await login();
    let last = first;
    for (let n = 0; n < 102; n += 1) {
      people.temp.advance(1000);
      last = pairIn(await refresh(last.refresh));
    }
    const { n } = (
      await people.temp.app.db.all<{ n: number }>(
        'SELECT max(n) AS n FROM (SELECT count(*) AS n FROM refresh_token GROUP BY session_id)',
      )
    )[0] ?? { n: 0 };
    assert.ok(n <= 21, `${n} rows`);
    assert.ok(await isIn(last));
    isInvalid(await refresh(first.refresh));
    assert.not.ok(await isIn(last));
  });
  check('one that is made up for the session of somebody ends nothing', async () => {
    const pair = await login();
    const bytes = Buffer.from(pair.refresh, 'base64url');
    for (const at of [0, 15, 16, 31, 32, 47]) {
      const changed = Buffer.from(bytes);
      changed[at] = (changed[at] ?? 0) ^ 1;
      isInvalid(await refresh(changed.toString('base64url')));
    }
    assert.ok(await isIn(pairIn(await refresh(pair.refresh))));
  });
};

const rotation = (check: Check): void => {
  check('a pair in both spellings, new each time; the old access token goes on to its own end', async () => {
    const first = await login();
    const { json } = await post('/auth/refresh', { refresh_token: first.refresh });
    assert.equal(
      [json.accessToken, json.refreshToken, json.tokenType, json.expiresIn, json.user.username],
      [json.access_token, json.refresh_token, 'Bearer', 86_400, 'ann'],
    );
    assert.ok(json.refresh_token !== first.refresh && /^[\w-]{64}$/.test(json.refresh_token));
    assert.ok(await isIn(first));
    assert.ok(await isIn({ access: json.access_token, refresh: '' }));
  });
  check('a session lives as long as it is refreshed, and each access token for a day', async () => {
    const first = await login();
    let pair = first;
    for (let days = 0; days < 90; days += 15) {
      people.temp.advance(15 * DAY);
      assert.not.ok(await isIn(pair), 'the access token has expired');
      pair = pairIn(await refresh(pair.refresh));
    }
    const message = (await people.ask(first.access, 'GET', '/auth/me')).json.message;
    assert.match(message, /expired/);
    assert.ok(await isIn(pair));
  });
  check('the role of the moment is what counts, and the database holds no token', async () => {
    const pair = await login('cy');
    await administer(cy.id, { role: 'maintainer' });
    const { json } = await refresh(pair.refresh);
    assert.is(json.user.role, 'maintainer');
    const rows = JSON.stringify(await people.temp.app.db.all('SELECT hex(hash) AS h, * FROM refresh_token'));
    for (const text of [pair.refresh, json.refresh_token])
      for (const form of [text, Buffer.from(text).toString('hex'), Buffer.from(text, 'base64url').toString('hex')])
        assert.not.ok(rows.toLowerCase().includes(form.toLowerCase()));
  });
};

const ends = (check: Check): void => {
  check(
    'a logout ends the session with its refresh token, and that of a refresh token of the same person',
    async () => {
      const [one, two] = [await login(), await login()];
      const stranger = pairIn(await people.signIn('Root', 'Root-passw0rd!'));
      const out = await people.ask(one.access, 'POST', '/auth/logout', { body: { refreshToken: two.refresh } });
      assert.is(out.status, 200);
      for (const pair of [one, two]) {
        assert.not.ok(await isIn(pair));
        isInvalid(await refresh(pair.refresh));
      }
      const three = await login();
      await people.ask(three.access, 'POST', '/auth/logout', { body: { refresh_token: stranger.refresh } });
      assert.ok(await isIn(stranger));
    },
  );
  check('a logout with a key or a password ends no session of its owner', async () => {
    const pair = await login();
    const { key } = (await people.ask(pair.access, 'POST', '/api-keys', { body: { name: 'x' } })).json;
    assert.is((await people.ask(key, 'POST', '/auth/logout')).status, 200);
    assert.ok(await isIn(pair));
  });
  check('what has expired is deleted, a few rows at a time', async () => {
    const { app } = people.temp;
    await Promise.all(Array.from({ length: 20 }, () => login()));
    people.temp.advance(31 * DAY);
    const kept = await people.signIn('ann', PASSWORD);
    await pruneSessions(app.db, app.clock.now());
    const counts = await app.db.all<{ s: number; r: number }>(
      'SELECT (SELECT count(*) FROM session) AS s, (SELECT count(*) FROM refresh_token) AS r',
    );
    assert.equal(counts, [{ s: 1, r: 1 }]);
    assert.ok(await isIn(pairIn(kept)));
  });
};

const outlived = (check: Check): void => {
  check(
    'one that expires before its session is refused, and does not end the session, however late it comes',
    async () => {
      const temp = await tempApp({
        overrides: [
          { key: 'auth.jwt_expiry_hours', text: '72' },
          { key: 'auth.refresh_token_expiry_days', text: '1' },
        ],
      });
      const others = await openPeople(temp);
      const { name } = await others.join('ann');
      const pair = pairIn(await others.signIn(name));
      temp.advance(DAY);
      for (const prune of [false, true]) {
        if (prune) await pruneSessions(temp.app.db, temp.app.clock.now());
        const late = await temp.call('POST', '/api/v1/auth/refresh', { body: { refreshToken: pair.refresh } });
        assert.is(late.status, 401);
        assert.is((await others.ask(pair.access, 'GET', '/auth/me')).status, 200);
      }
      await temp.close();
    },
  );
};

block(
  'refresh tokens',
  (check) => {
    for (const part of [refusals, rotation, ends, outlived]) part(check);
    check('no answer was a server error', () => assert.equal(people.temp.faults, []));
  },
  {
    before: async () => {
      people = await openPeople();
      await people.join('ann');
      [bob, cy] = [await people.join('bob'), await people.join('cy')];
    },
    after: () => people.temp.close(),
  },
);
