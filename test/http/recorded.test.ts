// Recorded answers against ours: a difference that is not on the list fails, and so does a line of the list that is no difference any more.
import { readFileSync } from 'node:fs';
import { fixture } from '../../fixtures/index.js';
import { orNull, record, text, whole } from '../../http/surface/wire.js';
import { assert, block } from '../kit.js';
import { differences, differencesOf, RECORDED, rowOf } from './recorded.js';

const LIST = readFileSync(fixture('spec/recorded-differences.txt'), 'utf8').split('\n');

const Thing = record('Thing', { name: text('a'), note: orNull(text('b')), part: record('Part', { count: whole(1) }) });

block('recorded answers', (check) => {
  check('what is missing, not ours, or of another type is found, at any depth', () => {
    const good = { name: 'x', note: null, part: { count: 1 } };
    assert.equal(differences(Thing, good, 'top'), []);
    assert.equal(differences(Thing, { name: 'x', part: { count: 1 } }, 'top'), []);
    assert.equal(differences(Thing, { ...good, name: undefined }, 'top'), ['Thing.name: ours alone']);
    assert.equal(differences(Thing, { ...good, more: 1 }, 'top'), ['Thing.more: not ours']);
    assert.equal(differences(Thing, { ...good, name: null }, 'top'), ['Thing.name: is null, not string']);
    assert.equal(differences(Thing, { ...good, note: 1 }, 'top'), ['Thing.note: is integer, not string']);
    assert.equal(differences(Thing, { ...good, part: { count: 1.5 } }, 'top'), ['Part.count: is number, not integer']);
    assert.equal(differences(Thing, [], 'top'), ['Thing: is array, not object']);
  });
  check('every recorded answer is of one of our rows', () => {
    assert.ok(RECORDED.length > 300, String(RECORDED.length));
    assert.equal(
      RECORDED.filter((one) => rowOf(one) === undefined).map(({ request }) => request),
      [],
    );
  });
  check('every difference is meant, with a reason, and every meant one is there', () => {
    const found = new Set(RECORDED.flatMap((one) => differencesOf(one)));
    const listed = LIST.filter((line) => line !== '' && !/^(?:#|why )/.test(line));
    assert.equal([...found].filter((one) => !listed.includes(one)).sort(), [], 'not on the list');
    assert.equal(
      listed.filter((one) => !found.has(one)),
      [],
      'on the list, but no difference',
    );
    assert.is(new Set(listed).size, listed.length);
    assert.match(LIST.filter((line) => line !== '' && !line.startsWith('#'))[0] ?? '', /^why /);
  });
});
