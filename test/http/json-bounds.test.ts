// How deep and how rich a JSON body may be: decided in its bytes, whatever its strings contain, before anything is parsed.
import fc from 'fast-check';
import { faultOf } from '../../core/model/errors.js';
import { parseJson } from '../../http/surface/validate.js';
import { tempApp } from '../app.js';
import { UNKNOWN_ID } from '../http/row-bodies.js';
import { assert, block, thrownBy } from '../kit.js';

const parse = (text: string): unknown => parseJson(Buffer.from(text), 'application/json');

const refusal = async (text: string): Promise<string> => {
  const { kind, message } = faultOf(await thrownBy(() => parse(text)));
  return `${kind}: ${message}`;
};

const nested = (levels: number, inner: string): string =>
  `${'[{"[": '.repeat(levels / 2)}${inner}${'}]'.repeat(levels / 2)}`;

const fields = (n: number): string => `{${Array.from({ length: n }, (_, at) => `"k${at}":0`).join()}}`;

/** What would be miscounted if it were not seen that it is in a string. */
const TRAPS = [
  `"${'['.repeat(100)}`,
  `\\"${'{'.repeat(11_000)}`,
  '{'.repeat(11_000),
  '['.repeat(100),
  ':'.repeat(11_000),
  '\\',
  '\\"{',
  '"',
  '\\\\',
  ']}'.repeat(100),
  'é😀"',
];

const MANY = /^BadRequest: The request body has more than 10000 fields, objects and lists\.$/;
const DEEP = /^BadRequest: The request body is nested deeper than 64 levels\.$/;

block('JSON bodies', (check) => {
  check('of 64 levels are taken, of 65 not, nor of so many that parsing them would fail', async () => {
    parse(nested(64, '"[{"'));
    for (const text of [nested(64, '[]'), nested(64, '{}'), '['.repeat(1_000_000)])
      assert.match(await refusal(text), DEEP);
    parse(`[${Array.from({ length: 100 }, () => nested(60, '1')).join()}]`);
  });
  check('with more than 10,000 fields, objects and lists are refused, whichever they are', async () => {
    parse(fields(9_999));
    for (const text of [fields(10_000), `[${'{},'.repeat(10_000)}0]`, `[${'[],'.repeat(10_000)}0]`, fields(150_000)])
      assert.match(await refusal(text), MANY);
    for (const text of ['{"a":1', '[{]', '"\\', '{"a":"\\"}', '"'])
      assert.is(await refusal(text), 'BadRequest: The request body is not valid JSON.');
  });
  check('long lists of ids, and strings of whatever is counted elsewhere, are taken as they are', () => {
    const ids = { bookIds: Array.from({ length: 40_000 }, () => UNKNOWN_ID) };
    assert.equal(parse(JSON.stringify(ids)), ids);
    for (const trap of TRAPS)
      for (const value of [trap, [trap, trap], { [trap]: trap, a: [trap, { b: trap }] }])
        for (const indent of [0, 2]) assert.equal(parse(JSON.stringify(value, null, indent)), value);
  });
  check('random ones are what they were', () => {
    const text = fc.string({ unit: fc.constantFrom('"', '\\', '{', '}', '[', ']', ':', ',', 'a', 'é', '\n') });
    const { value } = fc.letrec((tie) => ({
      value: fc.oneof(
        { maxDepth: 8 },
        text,
        fc.integer(),
        fc.array(tie('value'), { maxLength: 5 }),
        fc.dictionary(text, tie('value'), { maxKeys: 5, noNullPrototype: true }),
      ),
    }));
    fc.assert(fc.property(value, (one) => assert.equal(parse(JSON.stringify(one)), JSON.parse(JSON.stringify(one)))));
  });
  check('are refused by a row that takes one', async () => {
    const temp = await tempApp();
    try {
      const options = { token: await temp.tokenOf('admin'), body: fields(20_000) };
      const { status, json } = await temp.call('POST', '/api/v1/collections', options);
      assert.equal([status, json.error], [400, 'BadRequest']);
      assert.match(json.message, /more than 10000 fields/);
    } finally {
      await temp.close();
    }
  });
});
