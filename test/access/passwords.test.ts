// Comparing passwords: as much work for whoever there is not, and not too much of it at once.
import { checkFirstPassword, checkPassword } from '../../core/access/passwords.js';
import { AppError } from '../../core/model/errors.js';
import { SYSTEM } from '../../core/store/feed.js';
import { type Answer, type TempApp, tempApp } from '../app.js';
import { assert, block } from '../kit.js';

const ADMIN = { username: 'Admin', email: 'admin@example.com', password: 'Secret123!' };

const withApp = async (
  overrides: readonly { readonly key: string; readonly text: string }[],
  use: (temp: TempApp) => Promise<void>,
): Promise<void> => {
  const temp = await tempApp({ overrides });
  try {
    assert.is((await temp.call('POST', '/api/v1/setup/initialize', { body: ADMIN })).status, 200);
    await use(temp);
  } finally {
    await temp.close();
  }
};

const signIn = (temp: TempApp, username: string, password: string, address: string): Promise<Answer> =>
  temp.call('POST', '/api/v1/auth/login', { body: { username, password }, address });

const addDisabled = (temp: TempApp): Promise<number> =>
  temp.app.db.write(SYSTEM, 'interactive', (tx) =>
    tx.run(
      `INSERT INTO user (uuid, username, username_key, email, email_key, password_hash, role, active, created_at, updated_at)
       SELECT randomblob(16), 'gone', 'gone', 'gone', 'gone', password_hash, 'reader', 0, 0, 0 FROM user LIMIT 1`,
    ),
  );

/**
 * Work of all threads, in microseconds, without waiting for a turn of the processor: the least of three, since something else of this
 * process may run beside one of them.
 */
const workOf = async (body: () => Promise<unknown>): Promise<number> => {
  const all: number[] = [];
  for (let round = 0; round < 3; round += 1) {
    const before = process.cpuUsage();
    await body();
    const { user, system } = process.cpuUsage(before);
    all.push(user + system);
  }
  return Math.min(...all);
};

/** Dear enough that everything else disappears beside it. */
const DEAR = [
  { key: 'auth.argon2_memory_cost', text: '32768' },
  { key: 'auth.argon2_time_cost', text: '3' },
];

const refusalOf = (password: string, check: (password: string) => void = checkFirstPassword): string => {
  try {
    check(password);
    return '';
  } catch (thrown) {
    return thrown instanceof AppError ? thrown.message : String(thrown);
  }
};

block('passwords', (check) => {
  check('a password needs eight characters, and must not be one that is tried first', () => {
    for (const good of ['gulls over the pier', 'correcthorse', 'ÄÄÄÄÄÄÄÄ', 'x'.repeat(1024)])
      assert.is(refusalOf(good, checkPassword), '', good);
    for (const common of ['password', 'PassWord1', 'qwertzuiop', '1234567890', 'ｐａｓｓｗｏｒｄ'])
      assert.is(refusalOf(common, checkPassword), 'The password must not be one of the most common ones.', common);
    assert.is(refusalOf('gulls', checkPassword), 'The password must have at least 8 characters.');
    assert.is(refusalOf('x'.repeat(1025), checkPassword), 'The password must have at most 1024 characters.');
    assert.is(refusalOf('Password1!'), 'The password must not be one of the most common ones.');
  });
  check(
    'the error says what the first password lacks; any printable character but letters and digits is a symbol',
    () => {
      for (const good of ['Long-walk-by-the-river-7', 'Gulls over the pier 4', 'Ärger_und_1', 'Pa§§w0rt', 'Secret123!'])
        assert.is(refusalOf(good), '', good);
      for (const [password, sentence] of [
        ['gulls over the pier 4', 'contain an upper-case letter'],
        ['Secret1234', 'contain a symbol, such as ! or -'],
        ['Se cret', 'have at least 8 characters and must contain a digit'],
        ['secretsecret', 'contain an upper-case letter, a digit and a symbol, such as ! or -'],
        ['Secret1\u0000\t', 'contain a symbol, such as ! or -'],
      ] as const)
        assert.is(refusalOf(password), `The password must ${sentence}.`);
    },
  );
  check('a refusal takes the same work for every name and every password', () => {
    return withApp(DEAR, async (temp) => {
      await addDisabled(temp);
      const long = 'x'.repeat(1025);
      await signIn(temp, 'nobody', 'warm up', '10.0.0.9');
      const cases = [
        ['admin', 'wrong'],
        ['admin', long],
        ['nobody', 'wrong'],
        ['nobody', long],
        ['gone', 'wrong'],
        ['gone', long],
        ['gone', ADMIN.password],
      ] as const;
      const work: number[] = [];
      for (const [n, [name, password]] of cases.entries())
        work.push(await workOf(async () => assert.is((await signIn(temp, name, password, `10.0.0.${n}`)).status, 401)));
      assert.ok(Math.min(...work) * 3 > Math.max(...work), work.join(' '));
    });
  });
  check('a flood of logins is answered in part, and the rest is refused honestly', () =>
    withApp(DEAR, async (temp) => {
      const flood = await Promise.all(
        Array.from({ length: 400 }, (_, n) => signIn(temp, `user-${n}`, 'wrong', `10.0.${n >> 3}.1`)),
      );
      const refused = flood.filter(({ status }) => status !== 401);
      assert.ok(refused.length > 100 && refused.length < 300, String(refused.length));
      for (const answer of refused) {
        assert.equal([answer.status, answer.json.error, answer.header('retry-after')], [503, 'Overloaded', '2']);
        assert.match(answer.json.message, /Too many logins/);
      }
      assert.is((await signIn(temp, 'admin', ADMIN.password, '10.7.0.1')).status, 200);
    }),
  );
});
