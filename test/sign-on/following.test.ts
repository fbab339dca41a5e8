// What follows a provider when somebody signs in: the groups they are in, and, where the settings say so, the account that they get.
import { loadConfig } from '../../http/config/config.js';
import { engineOptionsOf } from '../../http/config/engine-options.js';
import { assert, block, type Check, thrownBy } from '../kit.js';
import {
  type Claims,
  cookieOf,
  type House,
  meOf,
  type Override,
  openHouse,
  type RealProvider,
  realProvider,
  settingsFor,
  signIn,
} from './house.js';

let provider: RealProvider;

const PASSWORD = 'gulls over the pier 4';

const withHouse = async (more: readonly Override[], use: (house: House) => Promise<void>): Promise<void> => {
  const house = await openHouse(provider.issuer, more);
  try {
    await use(house);
    assert.equal(house.temp.faults, []);
  } finally {
    await house.close();
  }
};

const on = (key: string, text: string): Override => ({ key: `auth.oidc.${key}`, text });
const LINKING = [on('link_by_verified_email', 'true')];

const outcome = async (house: House, person: string) => {
  const answer = await signIn(house, provider, person);
  if (cookieOf(answer, 'auth_token') !== '') return meOf(house, answer);
  return new URL(answer.header('location') ?? '', 'http://x').searchParams.get('refused');
};

const account = async (house: House, username: string, email: string) =>
  (await house.done(201, 'POST', '/users', { username, email, password: PASSWORD })).json;

const ZOE = { preferred_username: 'zoe-there', email: 'Zoe@Example.org', email_verified: true };

const linking = (check: Check): void => {
  check('an address that one side alone has verified links nothing', () =>
    withHouse([...LINKING, { key: 'auth.registration_enabled', text: 'true' }], async (house) => {
      const mine = await account(house, 'zoe', 'zoe@example.org');
      for (const email_verified of [false, undefined, 'true', 1]) {
        await provider.setPeople({ [`zoe-${email_verified}`]: { ...ZOE, email_verified } });
        assert.is.not((await outcome(house, `zoe-${email_verified}`)).id, mine.id);
      }
      const squatter = { username: 'squatter', email: 'ann@example.org', password: PASSWORD };
      assert.is((await house.ask('POST', '/auth/register', squatter)).status, 201);
      await provider.setPeople({ ann: { preferred_username: 'ann', email: 'ann@example.org', email_verified: true } });
      const ann = await outcome(house, 'ann');
      assert.equal([ann.username, ann.email.endsWith('@sign-on.invalid')], ['ann', true], 'nor does it keep her out');
    }),
  );
  check('letters that look like those of an address link nothing; a name that looks like one is none', () =>
    withHouse(LINKING, async (house) => {
      const carl = await account(house, 'carl', 'carl@example.org');
      const odd = { preferred_username: 'carl\uff20example.org', email: '\u217darl@example.org', email_verified: true };
      await provider.setPeople({ odd, wide: { preferred_username: ' a \u200b b ' } });
      assert.is(await outcome(house, 'odd'), 'email-taken');
      assert.equal([(await outcome(house, 'wide')).username, (await outcome(house, 'wide')).username], ['a b', 'a b']);
      await provider.setPeople({ odd: { ...odd, email: undefined } });
      const { id, username } = await outcome(house, 'odd');
      assert.equal([id === carl.id, username], [false, 'carl-2']);
    }),
  );
  check('an address in another claim is never a verified one', () =>
    withHouse([...LINKING, on('providers.home.email_claim', 'name')], async (house) => {
      const mine = await account(house, 'zoe', 'zoe@example.org');
      await provider.setPeople({ eve: { name: 'zoe@example.org', email: 'eve@example.org', email_verified: true } });
      const eve = await outcome(house, 'eve');
      assert.is.not(eve.id, mine.id);
      await provider.setPeople({ eva: { name: 'eva@example.org', email: 'x@example.org' } });
      assert.is((await outcome(house, 'eva')).email, 'eva@example.org');
    }),
  );
  check('a closed account is not linked either', () =>
    withHouse(LINKING, async (house) => {
      const { id } = await account(house, 'zoe', 'zoe@example.org');
      await house.done(200, 'PATCH', `/users/${id}`, { isActive: false });
      await provider.setPeople({ zoe: ZOE });
      assert.is(await outcome(house, 'zoe'), 'inactive');
      await house.done(200, 'PATCH', `/users/${id}`, { isActive: true });
      assert.is((await outcome(house, 'zoe')).id, id);
    }),
  );
  check('link_by_verified_email: an address that both have verified gives the account, also under another later', () =>
    withHouse([...LINKING, on('auto_create_users', 'false')], async (house) => {
      const { id } = await account(house, 'zoe', 'zoe@example.org');
      await provider.setPeople({ zoe: ZOE, bob: { email: 'bob@example.org', email_verified: true } });
      assert.is(await outcome(house, 'bob'), 'no-account');
      assert.equal(await outcome(house, 'zoe').then((me) => [me.id, me.username]), [id, 'zoe']);
      await provider.setPeople({ zoe: { email: 'other@example.org', email_verified: true } });
      assert.is((await outcome(house, 'zoe')).id, id);
      const { data } = (await house.done(200, 'GET', '/admin/audit?action=user.link')).json;
      assert.equal([data.length, data[0].target.name, data[0].details], [1, 'zoe', { provider: 'home' }]);
      assert.is((await house.ask('POST', '/auth/login', { username: 'zoe', password: PASSWORD })).status, 200);
    }),
  );
};

const groups = (check: Check): void => {
  const member = (groups: unknown): Promise<void> => provider.setPeople({ may: { preferred_username: 'may', groups } });

  check('groups there make members here, and only those that came from there go', () =>
    withHouse([], async (house) => {
      const group = async (name: string, ...names: readonly string[]): Promise<string> => {
        const { id } = (await house.done(201, 'POST', '/access-groups', { name })).json;
        for (const oidcGroupName of names)
          await house.done(200, 'POST', `/access-groups/${id}/oidc-mappings`, { oidcGroupName });
        return id;
      };
      const [family, teens, manual] = [
        await group('Family', 'fam', 'all'),
        await group('Teens', 'teens'),
        await group('M', 'm'),
      ];
      await member(['fam', 'unknown']);
      const { id } = await outcome(house, 'may');
      const inGroups = async (): Promise<readonly string[]> =>
        (await house.done(200, 'GET', `/users/${id}/access-groups`)).json.map(({ name }: { name: string }) => name);
      assert.equal(await inGroups(), ['Family']);
      const { members } = (await house.done(200, 'GET', `/access-groups/${family}`)).json;
      assert.equal([members.length, members[0].source], [1, 'oidc']);
      await house.done(200, 'POST', `/access-groups/${manual}/members`, { userIds: [id] });
      await member(['teens', 'm', 'all']);
      await outcome(house, 'may');
      assert.equal(await inGroups(), ['Family', 'M', 'Teens']);
      await member([]);
      await outcome(house, 'may');
      assert.equal(await inGroups(), ['M'], 'whom an administrator put in stays');
      await member(undefined);
      await outcome(house, 'may');
      assert.equal(await inGroups(), ['M']);
      await house.done(200, 'POST', `/access-groups/${teens}/members`, { userIds: [id] });
      await member(['teens']);
      await outcome(house, 'may');
      await member([]);
      await outcome(house, 'may');
      assert.equal(await inGroups(), ['M', 'Teens']);
    }),
  );
  check('the audit log names twenty groups of one sign-on, and how many there are', () =>
    withHouse([], async (house) => {
      const names = Array.from({ length: 22 }, (_, n) => `g${100 + n}`);
      for (const name of names) {
        const { id } = (await house.done(201, 'POST', '/access-groups', { name })).json;
        await house.done(200, 'POST', `/access-groups/${id}/oidc-mappings`, { oidcGroupName: name });
      }
      await member(names);
      const { id } = await outcome(house, 'may');
      await member(['g100']);
      await outcome(house, 'may');
      const { data } = (await house.done(200, 'GET', `/admin/audit?action=user.update&target=${id}`)).json;
      assert.equal(
        data.map(({ details }: { details: Claims }) => details),
        [
          { joined: [], left: names.slice(1, 21), total: { joined: 0, left: 21 } },
          { joined: names.slice(0, 20), left: [], total: { joined: 22, left: 0 } },
        ].map((one) => ({ changed: ['accessGroups'], ...one, provider: 'home' })),
      );
    }),
  );
  check('a login whose groups fail leaves no session, no account and no membership', () =>
    withHouse([], async (house) => {
      const { id } = (await house.done(201, 'POST', '/access-groups', { name: 'Family' })).json;
      await house.done(200, 'POST', `/access-groups/${id}/oidc-mappings`, { oidcGroupName: 'fam' });
      const { db } = house.temp.app;
      const trigger =
        "CREATE TRIGGER refused BEFORE INSERT ON access_group_member BEGIN SELECT RAISE(ABORT, 'no'); END";
      await db.write(null, 'interactive', (tx) => tx.run(trigger));
      await member(['fam']);
      const { address, cookie } = await house.begin();
      const answer = await house.comeBack(await provider.visit(address, 'may'), cookie);
      assert.equal([answer.status, answer.header('set-cookie')], [500, undefined]);
      house.temp.faults.length = 0;
      assert.is((await house.done(200, 'GET', '/users')).json.total, 1);
      assert.equal(await db.all('SELECT 1 FROM identity'), []);
      await db.write(null, 'interactive', (tx) => tx.run('DROP TRIGGER refused'));
      assert.is((await outcome(house, 'may')).username, 'may');
    }),
  );
  check('groups_claim and username_claim lead to claims, also inside others', () =>
    withHouse(
      [on('providers.home.groups_claim', 'name.roles'), on('providers.home.username_claim', 'email')],
      async (house) => {
        await provider.setPeople({ x: { name: { roles: ['keepers'] }, email: 'xan@example.org' } as Claims });
        const me = await outcome(house, 'x');
        assert.equal([me.role, me.username], ['maintainer', 'xan']);
      },
    ),
  );
};

const settings = (check: Check): void => {
  check('before the first account of the server nobody signs in', () =>
    withHouse([], async (house) => {
      const { db } = house.temp.app;
      await provider.setPeople({ may: { preferred_username: 'may', groups: ['owners'] } });
      await db.write(null, 'interactive', (tx) => tx.run('DELETE FROM user'));
      assert.is(await outcome(house, 'may'), 'not-set-up');
      assert.equal(await db.all('SELECT 1 FROM user'), []);
    }),
  );
  check('auto_create_users off: who has no account gets none', () =>
    withHouse([on('auto_create_users', 'false')], async (house) => {
      await provider.setPeople({ may: { preferred_username: 'may' } });
      assert.is(await outcome(house, 'may'), 'no-account');
    }),
  );
  check('default_role is that of new accounts, and a mapping wins', () =>
    withHouse([on('default_role', 'maintainer')], async (house) => {
      await provider.setPeople({ may: { groups: [] }, gus: { groups: ['guests'] } });
      assert.equal([(await outcome(house, 'may')).role, (await outcome(house, 'gus')).role], ['maintainer', 'reader']);
    }),
  );
  check('redirect_uri_base is where browsers come back', () =>
    withHouse([on('redirect_uri_base', 'https://elsewhere.example/')], async (house) => {
      const { address } = await house.begin();
      const back = new URL(address).searchParams.get('redirect_uri');
      assert.is(back, 'https://elsewhere.example/api/v1/auth/oidc/home/callback');
    }),
  );
  check('without auth.oidc.enabled there is none', () =>
    withHouse([on('enabled', 'false')], async (house) => {
      assert.equal((await house.ask('GET', '/auth/oidc/providers')).json, { enabled: false, providers: [] });
      assert.is((await house.ask('POST', '/auth/oidc/home/login', {})).status, 404);
    }),
  );
  check('client_secret: with another one the provider gives nothing', () =>
    withHouse([on('providers.home.client_secret', 'another')], async (house) => {
      await provider.setPeople({ may: { preferred_username: 'may' } });
      assert.is(await outcome(house, 'may'), 'failed');
      assert.not.ok(house.temp.warnings.some((line) => line.includes('another')));
    }),
  );
  check('client_secret_env names the variable with the secret', async () => {
    const overrides = settingsFor(provider.issuer, [on('providers.home.client_secret_env', 'LOGIN_SECRET')])
      .filter(({ key }) => !key.endsWith('.client_secret'))
      .map((one) => ({ ...one, from: 'test' })) as never;
    const load = (environment: Readonly<Record<string, string>>) => loadConfig({ file: null, environment, overrides });
    assert.is(engineOptionsOf(load({ LOGIN_SECRET: 's3cret' })).signOn.providers[0]?.clientSecret, 's3cret');
    assert.match(String(await thrownBy(() => load({}))), /names the variable LOGIN_SECRET, but it is not set/);
  });
  check('display_name, scopes, client_id and issuer_url reach the provider', () =>
    withHouse([on('providers.home.scopes', 'email,odd-scope')], async (house) => {
      const { providers } = (await house.ask('GET', '/auth/oidc/providers')).json;
      assert.is(providers[0].displayName, 'Home login');
      const url = new URL((await house.begin()).address);
      assert.equal([url.origin, url.searchParams.get('client_id')], [provider.issuer, 'longbox']);
      assert.is(url.searchParams.get('scope'), 'openid email odd-scope');
    }),
  );
};

block(
  'what follows a provider',
  (check) => {
    linking(check);
    groups(check);
    settings(check);
  },
  {
    before: async () => {
      provider = await realProvider();
    },
    after: () => provider.stop(),
  },
);
