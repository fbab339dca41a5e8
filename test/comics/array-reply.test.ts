// JSON arrays that are generated row by row: short ones are sent in one piece, long ones while they are generated.
import { arrayReply } from '../../http/comics/array-reply.js';
import { assert, block } from '../kit.js';

const ROW = JSON.stringify('x'.repeat(100_000));

interface Made {
  count: number;
}

async function* rows(count: number, made: Made = { count: 0 }): AsyncGenerator<string> {
  for (let n = 0; n < count; n += 1) {
    made.count += 1;
    yield ROW;
  }
}

block('arrays made row by row', (check) => {
  check('a short one is sent in one piece, in the first array of its answer', async () => {
    for (const count of [0, 1, 2]) {
      const { body } = await arrayReply({ content: [], others: [1] }, rows(count));
      if (body.kind !== 'bytes' || typeof body.bytes !== 'string') throw new Error(`it is ${body.kind}`);
      assert.equal(JSON.parse(body.bytes), { content: Array(count).fill(JSON.parse(ROW)), others: [1] });
    }
  });
  check('a long one is read while it is sent, and not before', async () => {
    const made = { count: 0 };
    const { status, body } = await arrayReply([], rows(200, made));
    if (body.kind !== 'stream') throw new Error(`it is ${body.kind}`);
    assert.equal([status, made.count < 12], [200, true]);
    let text = '';
    for await (const piece of body.open(new AbortController().signal)) text += piece;
    assert.equal([JSON.parse(text).length, made.count], [200, 200]);
  });
  check('one that is abandoned is not read any further', async () => {
    const made = { count: 0 };
    const { body } = await arrayReply([], rows(200, made));
    if (body.kind !== 'stream') throw new Error(`it is ${body.kind}`);
    for await (const piece of body.open(new AbortController().signal)) if (piece.length > 0) break;
    assert.ok(made.count < 20);
  });
});
