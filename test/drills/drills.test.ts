// Each drill once, and one kill of each kind; `npm run drills` goes on from here.
import { assert, block } from '../kit.js';
import { FAULTS, runFault } from './faults.js';
import { DRILLS, runKills } from './kills.js';

block(
  'drills',
  (check) => {
    for (const [name, { hindrance }] of Object.entries(FAULTS)) {
      const why = hindrance();
      if (why !== null) check.skip(name, why);
      else check(name, async () => assert.equal(await runFault(name, () => undefined), []));
    }
  },
  { deadlineS: 180 },
);

block(
  'killed at random moments',
  (check) => {
    check('it starts again, is sound, and has everything that it acknowledged', async () => {
      const kinds = Object.keys(DRILLS).length;
      const said: string[] = [];
      const toll = await runKills({ kills: kinds, seed: 1, say: (sentence) => said.push(sentence) });
      assert.equal([toll.kills, toll.lost, toll.faults], [kinds, [], []], said.join('\n'));
    });
  },
  { deadlineS: 120 },
);
