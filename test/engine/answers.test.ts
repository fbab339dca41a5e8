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

const kindOf = (thrown: unknown): string => (thrown instanceof AppError ? thrown.kind : String(thrown));

block('room for answers', (check) => {
  check('an answer of many rows that is too large is refused before it is built; a single row is not', async () => {
    const answers = new Answers();
    let made = 0;
    const make = async (): Promise<number> => {
      made += 1;
      return made;
    };
    const thrown = await thrownBy(() => answers.make({ rows: 2, bytes: 33 * MIB }, make));
    assert.is(kindOf(thrown), 'BadRequest');
    assert.match((thrown as AppError).message, /pages of about/);
    assert.is(made, 0);
    assert.is(await answers.make({ rows: 1, bytes: 1000 * MIB }, make), 1);
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
    const one = answers.make({ rows: 9, bytes: 6 * MIB }, make('first', first.opened));
    const two = answers.make({ rows: 9, bytes: 6 * MIB }, make('second', second.opened));
    await begun.opened;
    await answers.make({ rows: 9, bytes: 1000 }, make('small', Promise.resolve()));
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
    const held = answers.make({ rows: 9, bytes: 9 * MIB }, () => hold.opened);
    const waiting = [9, 9].map((size) => thrownBy(() => answers.make({ rows: 9, bytes: size * MIB }, async () => 1)));
    assert.equal((await Promise.all(waiting)).map(kindOf), ['Overloaded', 'Overloaded']);
    hold.open();
    await held;
    assert.is(await answers.make({ rows: 9, bytes: 9 * MIB }, async () => 2), 2);
  });
});
