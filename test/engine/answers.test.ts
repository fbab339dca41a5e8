// Room for large answers: too large ones are refused, the others take turns, and nobody waits forever.
import { Answers } from '../../core/engine/answers.js';
import { AppError } from '../../core/model/errors.js';
import { assert, block, thrownBy } from '../kit.js';

const MIB = 1024 * 1024;

const gate = () => {
  let open = (): void => undefined;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { open: () => open(), opened };
};

const USER = { user: 1 };

const kindOf = (thrown: unknown): string => (thrown instanceof AppError ? thrown.kind : String(thrown));

block('room for answers', (check) => {
  check('an answer of many rows that is too large is refused before it is built; a single row is not', async () => {
    const answers = new Answers();
    let made = 0;
    const make = async (): Promise<number> => {
      made += 1;
      return made;
    };
    const thrown = await thrownBy(() => answers.make(USER, { rows: 2, bytes: 33 * MIB }, make));
    assert.is(kindOf(thrown), 'BadRequest');
    assert.match((thrown as AppError).message, /pages of about/);
    assert.is(made, 0);
    assert.is(await answers.make(USER, { rows: 1, bytes: 1000 * MIB }, make), 1);
  });
  check('large answers share the budget in turn, and small ones do not wait', async () => {
    const answers = new Answers(10 * MIB);
    const [first, second, begun] = [gate(), gate(), gate()];
    const order: string[] = [];
    const make = (name: string, until: Promise<void>) => async (): Promise<void> => {
      order.push(name);
      if (name === 'first') begun.open();
      await until;
    };
    const one = answers.make(USER, { rows: 9, bytes: 6 * MIB }, make('first', first.opened));
    const two = answers.make(USER, { rows: 9, bytes: 6 * MIB }, make('second', second.opened));
    await begun.opened;
    await answers.make(USER, { rows: 9, bytes: 1000 }, make('small', Promise.resolve()));
    assert.equal(order, ['first', 'small']);
    first.open();
    await one;
    second.open();
    await two;
    assert.equal(order, ['first', 'small', 'second']);
  });
  check('a caller that waits too long is told that the server is busy, and no room is lost', async () => {
    const answers = new Answers(10 * MIB, 1);
    const hold = gate();
    const held = answers.make(USER, { rows: 9, bytes: 9 * MIB }, () => hold.opened);
    const waiting = [9, 9].map((size) =>
      thrownBy(() => answers.make(USER, { rows: 9, bytes: size * MIB }, async () => 1)),
    );
    assert.equal((await Promise.all(waiting)).map(kindOf), ['Overloaded', 'Overloaded']);
    hold.open();
    await held;
    assert.is(await answers.make(USER, { rows: 9, bytes: 9 * MIB }, async () => 2), 2);
  });
  check('users take turns, whoever fills the queue; who leaves gives up the place', async () => {
    const answers = new Answers(10 * MIB);
    const hold = gate();
    const size = { rows: 9, bytes: 9 * MIB };
    const order: string[] = [];
    const make = (name: string) => async (): Promise<void> => {
      order.push(name);
    };
    const held = answers.make(USER, size, () => hold.opened);
    const left = new AbortController();
    const leaving = thrownBy(() => answers.make({ user: 1, signal: left.signal }, size, make('left')));
    const many = Array.from({ length: 60 }, () => answers.make(USER, size, make('many')).catch(kindOf));
    const other = answers.make({ user: 2 }, size, make('other'));
    left.abort();
    assert.is(kindOf(await leaving), 'Cancelled');
    hold.open();
    await held;
    await other;
    assert.is(order.indexOf('other') <= 1, true, `after at most one of the first user's: ${order.length}`);
    const refused = (await Promise.all(many)).filter((one) => one === 'Overloaded');
    assert.is(refused.length > 0, true, 'one user cannot fill the queue');
    assert.is(order.includes('left'), false);
  });
});
