// The notice that the next book differs in kind from the current one.
import { languageName } from '../../../http/web/client/messages/language-name.js';
import { type Grouped, groupChanges } from '../../../http/web/client/reader/rules/group-change.js';
import { assert, block } from '../../kit.js';

const CHAPTER: Grouped = { volume: 2, chapter: 8, translator: 'Night Scans', language: 'en' };
const VOLUME: Grouped = { ...CHAPTER, chapter: null };
const EXTRA: Grouped = { ...VOLUME, volume: null };

block('a change of group', (check) => {
  check('books of one kind by the same translator are one group', () => {
    assert.equal(groupChanges(CHAPTER, { ...CHAPTER, chapter: 9, volume: 3 }), []);
    assert.equal(groupChanges(CHAPTER, { ...CHAPTER, translator: ' night scans', language: 'en-GB' }), []);
    assert.equal(groupChanges(EXTRA, EXTRA), []);
  });
  check('volumes after chapters, the reverse, and extras are announced, the way back from an extra is not', () => {
    assert.equal(groupChanges(CHAPTER, VOLUME), [{ kind: 'volume' }]);
    assert.equal(groupChanges(VOLUME, CHAPTER), [{ kind: 'chapter' }]);
    assert.equal(groupChanges(CHAPTER, EXTRA), [{ kind: 'extra' }]);
    assert.equal(groupChanges(VOLUME, EXTRA), [{ kind: 'extra' }]);
    assert.equal(groupChanges(EXTRA, CHAPTER), []);
  });
  check('another translator and another language are named, unknown ones are not', () => {
    assert.equal(groupChanges(CHAPTER, { ...CHAPTER, translator: 'Day Scans', language: 'fr' }), [
      { kind: 'translator', name: 'Day Scans' },
      { kind: 'language', name: 'fr' },
    ]);
    assert.equal(groupChanges(CHAPTER, { ...CHAPTER, translator: null, language: null }), []);
    assert.equal(groupChanges({ ...CHAPTER, translator: null }, CHAPTER), []);
  });
  check('languages have names, and an invalid code stays as it is', () => {
    assert.is(languageName('fr', 'de'), 'Französisch');
    assert.is(languageName('not a code', 'en'), 'not a code');
  });
});
