// Tap zones, keys, and what is missing between two books.
import {
  ACTIONS,
  actionOf,
  actionOfPress,
  bindingsOf,
  bound,
  comboOf,
  conflictsIn,
  DEFAULT_KEYS,
  ownKeys,
  type Pressed,
  unbound,
} from '../../../http/web/client/reader/rules/keys.js';
import { missingBetween } from '../../../http/web/client/reader/rules/missing-books.js';
import {
  chosenZones,
  PRESETS,
  type ZoneOptions,
  zoneAt,
  zonesOf,
} from '../../../http/web/client/reader/rules/tap-zones.js';
import { assert, block } from '../../kit.js';

const OPTIONS: ZoneOptions = { preset: 'sides', own: PRESETS.sides, flip: 'none', isRtl: false };
const letters = (options: Partial<ZoneOptions>): string =>
  zonesOf({ ...OPTIONS, ...options })
    .map((action) => action[0])
    .join('');

block('tap zones', (check) => {
  check('the right third leads on, the left third back, the middle to the menu', () => {
    const zones = zonesOf(OPTIONS);
    assert.is(zoneAt(zones, 0.9, 0.5), 'next');
    assert.is(zoneAt(zones, 0.1, 0.5), 'previous');
    assert.is(zoneAt(zones, 0.5, 0.5), 'menu');
  });
  check('the edges of the screen belong to the outer fields', () => {
    const zones = zonesOf(OPTIONS);
    assert.is(zoneAt(zones, 1, 1), 'next');
    assert.is(zoneAt(zones, -0.01, 0), 'previous');
  });
  check('from right to left, the left third leads on', () => assert.is(letters({ isRtl: true }), 'nmpnmpnmp'));
  check('zones can be flipped either way, and both', () => {
    assert.is(letters({ preset: 'corner' }), 'ppppmnnnn');
    assert.is(letters({ preset: 'corner', flip: 'sideways' }), 'pppnmpnnn');
    assert.is(letters({ preset: 'corner', flip: 'upside-down' }), 'nnnpmnppp');
    assert.is(letters({ preset: 'corner', flip: 'both' }), 'nnnnmpppp');
    assert.is(letters({ preset: 'corner', flip: 'sideways', isRtl: true }), 'ppppmnnnn');
  });
  check('own zones need nine fields', () => {
    assert.is(letters({ preset: 'own', own: PRESETS.stacked }), 'pppmmmnnn');
    assert.is(letters({ preset: 'own', own: ['next'] }), 'pmnpmnpmn');
  });
  check('custom zones without a menu have it in the middle', () => {
    const own = PRESETS.sides.map(() => 'next' as const);
    assert.is(letters({ preset: 'own', own }), 'nnnnmnnnn');
    assert.is(letters({ preset: 'own', own, flip: 'both', isRtl: true }), 'nnnnmnnnn');
    assert.equal(chosenZones({ preset: 'own', own }), own);
  });
  check('each preset leads to the menu', () => {
    for (const [name, fields] of Object.entries(PRESETS)) {
      assert.is(fields.length, 9, name);
      assert.ok(
        fields.some((field) => field === 'menu'),
        name,
      );
    }
  });
});

const press = (key: string, held: Partial<Pressed> = {}): Pressed => ({
  key,
  code: '',
  shiftKey: false,
  ctrlKey: false,
  altKey: false,
  metaKey: false,
  ...held,
});

block('keys', (check) => {
  check('a key is named with what is held beside it', () => {
    assert.is(comboOf(press('j')), 'J');
    assert.is(comboOf(press('J', { shiftKey: true })), 'Shift+J');
    assert.is(comboOf(press(' ')), 'Space');
    assert.is(comboOf(press(' ', { shiftKey: true })), 'Shift+Space');
    assert.is(comboOf(press('?', { shiftKey: true })), '?');
    assert.is(comboOf(press('ArrowLeft', { ctrlKey: true, altKey: true })), 'Ctrl+Alt+ArrowLeft');
  });
  check('a modifier alone is no key', () => {
    for (const key of ['Shift', 'Control', 'Alt', 'Meta', 'AltGraph', 'Dead'])
      assert.is(comboOf(press(key)), undefined);
  });
  check('every action has a key, and no key two', () => {
    assert.equal(
      ACTIONS.filter((action) => DEFAULT_KEYS[action].length === 0),
      [],
    );
    assert.equal(conflictsIn(DEFAULT_KEYS), []);
  });
  check('what a person bound replaces the keys of that action alone', () => {
    const bindings = bindingsOf({ next: ['X'] });
    assert.is(actionOf(bindings, 'X'), 'next');
    assert.is(actionOf(bindings, 'Space'), undefined);
    assert.is(actionOf(bindings, 'PageUp'), 'previous');
    assert.equal(ownKeys(bindings), { next: ['X'] });
    assert.equal(ownKeys(DEFAULT_KEYS), {});
  });
  check('letters of other scripts do what the key at their place does', () => {
    for (const [key, code] of [
      ['в', 'KeyD'],
      ['ㅇ', 'KeyD'],
      ['Process', 'KeyD'],
      ['d', 'KeyD'],
    ] as const)
      assert.is(actionOfPress(DEFAULT_KEYS, press(key, { code })), 'double', key);
    assert.is(actionOfPress(DEFAULT_KEYS, press('О', { code: 'KeyJ', shiftKey: true })), undefined);
    assert.is(actionOfPress(DEFAULT_KEYS, press('в', { code: 'KeyD', ctrlKey: true })), undefined);
  });
  check('a letter of a Latin layout counts, and not its place; so does what a person bound', () => {
    assert.is(actionOfPress(DEFAULT_KEYS, press('m', { code: 'Semicolon' })), 'menu');
    assert.is(actionOfPress(DEFAULT_KEYS, press('é', { code: 'KeyD' })), undefined);
    assert.is(actionOfPress(bindingsOf({ menu: ['В'] }), press('в', { code: 'KeyD' })), 'menu');
  });
  check('an action can be left without a key', () => {
    const bindings = unbound(DEFAULT_KEYS, 'fullscreen', 'F');
    assert.is(actionOf(bindings, 'F'), undefined);
    assert.equal(bindingsOf(ownKeys(bindings)), bindings);
  });
  check('a key bound anew is taken from what it did before', () => {
    const bindings = bound(DEFAULT_KEYS, 'fullscreen', 'M');
    assert.is(actionOf(bindings, 'M'), 'fullscreen');
    assert.equal(bindings.menu, ['Enter']);
    assert.equal(conflictsIn(bindings), []);
  });
  check('a key that profiles bind twice is named', () => {
    assert.equal(conflictsIn(bindingsOf({ last: ['Home'] })), [{ combo: 'Home', actions: ['first', 'last'] }]);
  });
});

const numbered = (chapter: number | null, number: number | null = null, volume: number | null = null) => ({
  title: 'Sea',
  chapter,
  number,
  volume,
});

block('missing books', (check) => {
  check('whole chapters between two are missing', () => {
    assert.equal(missingBetween(numbered(4), numbered(8)), { kind: 'chapter', from: 5, to: 7 });
    assert.equal(missingBetween(numbered(4.5), numbered(6)), { kind: 'chapter', from: 5, to: 5 });
  });
  check('nothing is missing between neighbours, specials and parts', () => {
    for (const [a, b] of [
      [4, 5],
      [4, 4.5],
      [4.5, 5],
      [4.1, 4.2],
    ] as const)
      assert.is(missingBetween(numbered(a), numbered(b)), undefined);
  });
  check('without chapters the numbers count, then the volumes', () => {
    assert.equal(missingBetween(numbered(null, 1), numbered(3, 3)), { kind: 'number', from: 2, to: 2 });
    assert.equal(missingBetween(numbered(null, null, 1), numbered(null, null, 4)), { kind: 'volume', from: 2, to: 3 });
  });
  check('titles say more than an order', () => {
    const titled = (title: string, number: number) => ({ ...numbered(null, number), title });
    assert.equal(missingBetween(titled('Sea 002', 2), titled('Sea 005', 3)), { kind: 'number', from: 3, to: 4 });
    assert.is(missingBetween(titled('Sea 002', 2), titled('Sea 003', 5)), undefined);
    assert.is(missingBetween(titled('Sea 002', 2), titled('Lake 005', 3)), undefined);
  });
  check('numbers that begin anew, or are not known, say nothing', () => {
    assert.is(missingBetween(numbered(12), numbered(1)), undefined);
    assert.is(missingBetween(numbered(null), numbered(null)), undefined);
  });
});
