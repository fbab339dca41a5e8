// Signing in with a real provider: who gets in, as whom, and with which rights.
import { faultsOf } from '../http/answer-shapes.js';
import { assert, block, type Check } from '../kit.js';
import {
  type Claims,
  cookieOf,
  type House,
  meOf,
  openHouse,
  type RealProvider,
  realProvider,
  signIn,
} from './house.js';

let provider: RealProvider;
let house: House;

const ANN = { preferred_username: 'ann', email: 'ann@example.org', email_verified: true };

const PEOPLE: Readonly<Record<string, Claims>> = {
  ann: ANN,
  shouting: { preferred_username: 'ANN' },
  mailed: { preferred_username: 'mia@example.org', email: 'mia@example.org', email_verified: true },
  claims: { preferred_username: 'eve', email: 'root@example.org' },
  nameless: {},
  odd: { preferred_username: ' \u202e\u0000 b o\tb ', email: 'not an address' },
  locked: { preferred_username: 'lou' },
  keeper: { preferred_username: 'kim', groups: ['guests', 'keepers'] },
  guest: { preferred_username: 'gus', groups: ['guests'] },
};

const setPeople = (changes: Readonly<Record<string, Claims>> = {}): Promise<void> =>
  provider.setPeople({ ...PEOPLE, ...changes });

const reasonOf = (location: string | undefined): string | null =>
  new URL(location ?? '', 'https://x.example').searchParams.get('refused');

const refused = async (person: string): Promise<string | null> => {
  const answer = await signIn(house, provider, person);
  assert.equal([answer.status, cookieOf(answer, 'auth_token')], [303, '']);
  return reasonOf(answer.header('location'));
};

const person = async (name: string) => meOf(house, await signIn(house, provider, name));

const users = async (): Promise<number> => (await house.done(200, 'GET', '/users')).json.total;

const bad = (check: Check): void => {
  check('whoever declines there gets no account here', async () => {
    const before = await users();
    assert.is(await refused(''), 'declined');
    assert.is(await users(), before);
  });
  check('a closed account stays closed', async () => {
    const { id } = await person('locked');
    await house.done(200, 'PATCH', `/users/${id}`, { isActive: false });
    assert.is(await refused('locked'), 'inactive');
    await house.done(200, 'PATCH', `/users/${id}`, { isActive: true });
    assert.is((await person('locked')).id, id);
  });
  check('an address that is not verified there takes nobody else’s account or address', async () => {
    const root = { username: 'root', email: 'root@example.org', password: 'gulls over the pier 4' };
    const { json } = await house.done(201, 'POST', '/users', root);
    const eve = await person('claims');
    assert.is.not(eve.id, json.id);
    assert.match(eve.email, /@sign-on\.invalid$/);
    assert.is(eve.emailVerified, false);
  });
  check('a verified address of another account is refused where linking is off', async () => {
    const body = { username: 'old-zoe', email: 'zoe@example.org', password: 'gulls over the pier 4' };
    await house.done(201, 'POST', '/users', body);
    await setPeople({ zoe: { preferred_username: 'zoe', email: 'Zoe@example.org', email_verified: true } });
    assert.is(await refused('zoe'), 'email-taken');
  });
  check('groups that cannot be understood fail the login, and nothing changes', async () => {
    const before = await users();
    for (const groups of [{ a: 1 }, [1], ['x'.repeat(1001)], Array.from({ length: 1001 }, (_, n) => `g${n}`)]) {
      await setPeople({ odder: { preferred_username: 'oda', groups } });
      assert.is(await refused('odder'), 'failed');
    }
    assert.is(await users(), before);
    assert.ok(house.temp.warnings.some((line) => /"home" failed: the claim groups is not a list/.test(line)));
  });
  check('a new account has no password to guess', async () => {
    const { username } = await person('ann');
    for (const password of ['none', '', 'x']) {
      const answer = await house.ask('POST', '/auth/login', { username, password });
      assert.is(answer.status, 401);
    }
  });
};

const accounts = (check: Check): void => {
  check('the first time makes an account, later times find it, whatever is said of it', async () => {
    await setPeople();
    const first = await person('ann');
    assert.equal([first.username, first.email, first.role], ['ann', 'ann@example.org', 'reader']);
    assert.is(first.emailVerified, true);
    await setPeople({ ann: { preferred_username: 'anna', email: 'anna@example.org', email_verified: true } });
    assert.equal(await person('ann'), first);
  });
  check('a browser gets both cookies, and nothing stands in the address', async () => {
    const answer = await signIn(house, provider, 'ann');
    const cookies = answer.header('set-cookie')?.split('\n') ?? [];
    assert.is(cookies.length, 3);
    for (const line of cookies) assert.match(line, /; HttpOnly; SameSite=Lax/);
    assert.match(cookies[0] ?? '', /^auth_token=[^;]{50,}; .*Path=\/books;/);
    assert.match(cookies[1] ?? '', /^refresh_token=[^;]{40,}; .*Path=\/books\/api\/v1\/auth;/);
    assert.match(cookies[2] ?? '', /^sign_on_[\w-]{8}=; Max-Age=0; Path=\/books\/api\/v1\/auth\/oidc;/);
    assert.is(answer.header('location'), '/books/auth/sign-on');
    const cookie = `refresh_token=${cookieOf(answer, 'refresh_token')}`;
    assert.is((await house.ask('POST', '/auth/refresh', undefined, cookie)).status, 200);
  });
  check('a taken name gets a number; odd and missing names become plain ones', async () => {
    assert.equal((await person('shouting')).username, 'ANN-2');
    assert.equal((await person('mailed')).username, 'mia');
    assert.match((await person('nameless')).username, /^user/);
    const odd = await person('odd');
    assert.equal(odd.username, 'b o b');
    assert.match(odd.email, /@sign-on\.invalid$/);
  });
  check('the session is one like others, and the audit log tells of the account', async () => {
    const answer = await signIn(house, provider, 'ann');
    const cookie = `auth_token=${cookieOf(answer, 'auth_token')}`;
    const sessions = (await house.ask('GET', '/user/sessions', undefined, cookie)).json;
    assert.ok(sessions.some(({ current }: { current: boolean }) => current));
    const { data } = (await house.done(200, 'GET', '/admin/audit?action=user.create')).json;
    assert.ok(data.some(({ details }: { details: Claims }) => details.provider === 'home'));
  });
};

const roles = (check: Check): void => {
  check('the highest role that a group stands for counts; where none does, the role stays', async () => {
    await setPeople();
    assert.is((await person('guest')).role, 'reader');
    assert.is((await person('keeper')).role, 'maintainer');
    await setPeople({ keeper: { preferred_username: 'kim', groups: ['others'] } });
    assert.is((await person('keeper')).role, 'maintainer');
    await setPeople({ keeper: { preferred_username: 'kim', groups: 'guests' } });
    assert.is((await person('keeper')).role, 'reader');
  });
  check('the last active administrator stays one, and another does not', async () => {
    await setPeople({ boss: { preferred_username: 'boss', groups: ['owners'] } });
    const boss = await person('boss');
    assert.is(boss.role, 'admin');
    const { user } = await house.temp.app.callers.byToken(house.admin);
    await setPeople({ boss: { preferred_username: 'boss', groups: ['guests'] } });
    const write = (sql: string) =>
      house.temp.app.db.write(null, 'interactive', async (tx) => {
        await tx.run(sql, [user.key]);
      });
    await write('UPDATE user SET active = 0 WHERE id = ?');
    assert.is((await person('boss')).role, 'admin', 'nobody else is left');
    await write('UPDATE user SET active = 1 WHERE id = ?');
    assert.is((await person('boss')).role, 'reader');
  });
};

block(
  'signing in with a provider',
  (check) => {
    bad(check);
    accounts(check);
    roles(check);
    check('the providers are named for everybody', async () => {
      const loginUrl = '/books/api/v1/auth/oidc/home/login';
      const providers = [{ name: 'home', displayName: 'Home login', loginUrl }];
      const { json } = await house.ask('GET', '/auth/oidc/providers');
      assert.equal(json, { enabled: true, providers });
      assert.equal(faultsOf('OidcProvidersResponse', json), []);
    });
    check('nothing failed in the background', () => assert.equal(house.temp.faults, []));
  },
  {
    before: async () => {
      provider = await realProvider();
      house = await openHouse(provider.issuer);
      await setPeople();
    },
    after: async () => {
      await house.close();
      await provider.stop();
    },
  },
);
