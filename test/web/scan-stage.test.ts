// What the line about a scan reports: files until all are read, then their covers.
import { stageOf } from '../../http/web/client/parts/scan-stage.js';
import { assert, block } from '../kit.js';

block('stages of a scan in the web client', (check) => {
  check('the covers are what is left once all files are read', () => {
    for (const [files, covers, stage] of [
      [[0, 0], [0, 0], 'looking'],
      [[20, 21], [3, 20], 'reading'],
      [[21, 21], [3, 21], 'covers'],
      [[21, 21], [21, 21], 'ending'],
    ] as const) {
      const [filesProcessed, filesTotal] = files;
      const [coversProcessed, coversTotal] = covers;
      assert.is(stageOf({ filesProcessed, filesTotal, coversProcessed, coversTotal }), stage);
    }
  });
});
