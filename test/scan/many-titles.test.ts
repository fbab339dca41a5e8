// The dry run of new titles over a large library: it stops after enough of them, and says so.
import { join } from 'node:path';
import { until, writeBook } from '../app.js';
import { withTaskShelf } from '../http/task-shelf.js';
import { assert, block } from '../kit.js';

block('dry runs of titles', (check) => {
  check('a count that is not complete is not told as one that is', () =>
    withTaskShelf(async ({ ask, temp, libraryId }) => {
      for (let n = 0; n < 210; n += 1) writeBook(join(temp.shelf, `Bees ${n}`, 'Bees.cbz'), 1, `${n}`);
      assert.is((await ask('POST', `/libraries/${libraryId}/scan`)).status, 200);
      await until('the scan ends', () => temp.app.scans.active().length === 0);
      const dry = async (pattern: string): Promise<string> => {
        const titlePreprocessingRules = [{ pattern, replacement: 'X', enabled: true }];
        assert.is((await ask('PATCH', `/libraries/${libraryId}`, { titlePreprocessingRules })).status, 200);
        return (await ask('POST', `/libraries/${libraryId}/series/titles/reprocess`, { dryRun: true })).json.message;
      };
      assert.match(await dry('^Bees'), /^At least \d+ would change: /);
      assert.match(await dry('^Bees 7'), /^11 would change: /);
    }),
  );
});
