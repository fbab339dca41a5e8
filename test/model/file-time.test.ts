// Times of files: some file systems keep any number of seconds, which neither a Date nor an integer column holds.
import { fileTimeOf } from '../../core/model/file-time.js';
import { assert, block } from '../kit.js';

block('times of files', (check) => {
  check('whole milliseconds are kept as they are, parts of one are cut off', () => {
    assert.is(fileTimeOf({ mtimeMs: 1_763_000_000_123.7 }), 1_763_000_000_123);
    assert.is(fileTimeOf({ mtimeMs: -1.5 }), -2);
  });
  check('whatever a file system says becomes an integer that a Date can show', () => {
    for (const mtimeMs of [9e15, -9e15, 1e20, -1e20, 9.3e21]) {
      const time = fileTimeOf({ mtimeMs });
      assert.ok(Number.isSafeInteger(time), String(mtimeMs));
      assert.is(new Date(time).getTime(), time);
    }
  });
});
