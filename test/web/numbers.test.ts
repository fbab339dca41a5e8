// Numbers in sentences are formatted as Intl formats them.
import { numbersIn } from '../../http/web/client/messages/numbers.js';
import { assert, block } from '../kit.js';

const VALUES = [0, 7, 999, 1000, 1234, 1_234_567, -3, 0.5];

block('numbers in sentences', (check) => {
  for (const language of ['en', 'de'])
    check(`${language}: as Intl writes them`, () => {
      const { number, counted } = numbersIn(language);
      for (const value of VALUES) assert.is(number(value), new Intl.NumberFormat(language).format(value));
      assert.is(counted(1, 'one', 'many'), '1 one');
      assert.match(counted(1200, 'one', 'many'), /^1\D200 many$/);
    });
});
