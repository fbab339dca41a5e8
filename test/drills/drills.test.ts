// One kill of each kind; `npm run drills` goes on from here.
import { assert, block } from '../kit.js';
import { DRILLS, runKills } from './kills.js';

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
