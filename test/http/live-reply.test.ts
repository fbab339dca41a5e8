// What a live stream says last: nothing while its caller is let in, and its farewell otherwise, whichever of the two ended first.
import { AppError } from '../../core/model/errors.js';
import { whileLetIn } from '../../http/surface/live-reply.js';
import { openPeople, type People } from '../access/people.js';
import { assert, block } from '../kit.js';

let people: People;

/** Everything that a stream which ends by itself sends. */
const sentBy = async (permit: () => void): Promise<string> => {
  const { callers, liveCallers } = people.temp.app;
  const body = { kind: 'stream', isLive: true, farewell: 'bye', open: async function* () {} } as const;
  const caller = await callers.byToken(people.admin.token);
  const reply = whileLetIn({ status: 200, headers: [], body }, liveCallers, caller, permit);
  if (reply.body.kind !== 'stream') throw new Error('no stream');
  let text = '';
  for await (const piece of reply.body.open(new AbortController().signal)) text += Buffer.from(piece).toString();
  return text;
};

block(
  'the end of a live stream',
  (check) => {
    check('a stream that ends by itself says nothing more while its caller is let in', async () => {
      assert.is(await sentBy(() => undefined), '');
    });
    check('a stream that ended before its caller was checked still tells them', async () => {
      const refused = (): never => {
        throw new AppError('Forbidden');
      };
      assert.is(await sentBy(refused), 'bye');
    });
  },
  {
    before: async () => {
      people = await openPeople();
    },
    after: () => people.temp.close(),
  },
);
