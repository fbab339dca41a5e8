// Answers recorded from the server whose API reader apps were made for, against the schemas of our rows: every field and its type, and what
// is null. A difference that is not on the list fails, and so does a line of the list that is no difference any more.
import { readFileSync } from 'node:fs';
import { fixture } from '../../fixtures/index.js';
import { ROOT } from '../../http/api/surface.js';
import { comicsAt } from '../../http/comics/surface.js';
import { buildRouter } from '../../http/surface/router.js';
import { assert, block } from '../kit.js';
import { differencesOf, recordedIn, rowOf } from './recorded.js';

const RECORDED = recordedIn('recorded-comics.jsonl');
const LIST = readFileSync(fixture('spec/recorded-comics-differences.txt'), 'utf8')
  .split('\n')
  .filter((line) => line !== '' && !/^(?:#|why )/.test(line));
/** At the root, as on a port of its own. */
const router = buildRouter([comicsAt('/komga'), { ...ROOT, rows: comicsAt('').rows }]);

block('recorded answers of the comic-server API', (check) => {
  check('every recorded answer is of one of our rows', () => {
    assert.ok(RECORDED.length > 80, String(RECORDED.length));
    assert.equal(
      RECORDED.filter((one) => rowOf(one, router) === undefined).map(({ request }) => request),
      [],
    );
  });
  check('every difference is meant, with a reason, and every meant one is there', () => {
    const found = new Set(RECORDED.flatMap((one) => differencesOf(one, router)));
    assert.equal([...found].filter((one) => !LIST.includes(one)).sort(), [], 'not on the list');
    assert.equal(
      LIST.filter((one) => !found.has(one)),
      [],
      'on the list, but no difference',
    );
    assert.is(new Set(LIST).size, LIST.length);
  });
});
