// Each drill once, and in a full run one kill of each kind; `npm run drills` goes on from here.
import { assert, block, IS_FULL } from '../kit.js';
import { FAULTS, runFault } from './faults.js';
import { DRILLS, runKills } from './kills.js';

/** System tests try these in every run: full-disks, failing-disk, hang and serve. */
const isTriedElsewhere = (name: string): boolean => /disk|mount|second process/.test(name);
/** Others kill backups, restores, upgrades and starts after their steps, which leaves the first two kinds of kills. */
const KILLS = IS_FULL ? Object.keys(DRILLS).length : 2;

block(
  'drills',
  (check) => {
    for (const [name, { hindrance }] of Object.entries(FAULTS)) {
      const why = isTriedElsewhere(name) && !IS_FULL ? 'other tests try it too; here in a full run' : hindrance();
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
      const said: string[] = [];
      const toll = await runKills({ kills: KILLS, seed: 1, say: (sentence) => said.push(sentence) });
      assert.equal([toll.kills, toll.lost, toll.faults], [KILLS, [], []], said.join('\n'));
    });
  },
  { deadlineS: 120 },
);
