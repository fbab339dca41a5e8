// Bounded maps: what is dropped and when, compared with a plain list on random histories.
import fc from 'fast-check';
import { type BoundedMap, boundedByBytes, boundedByCount } from '../../core/model/bounded-map.js';
import { AppError } from '../../core/model/errors.js';
import { FailingPages } from '../../core/pages/failing-pages.js';
import { assert, block, thrownBy } from '../kit.js';

type Act = readonly [what: 'get' | 'peek' | 'set' | 'delete' | 'clear', key: string, size: number];

const KEYS = ['a', 'b', 'c', 'd', 'e', 'f'];

const acts = fc.array(
  fc.tuple(
    fc.constantFrom<Act[0]>('get', 'get', 'peek', 'set', 'set', 'set', 'delete', 'clear'),
    fc.constantFrom(...KEYS),
    fc.integer({ min: 0, max: 12 }),
  ),
  { maxLength: 60 },
);

interface Item {
  readonly key: string;
  readonly size: number;
}

/** The same as a list, the least recently used first. `weigh` says how much of `max` an item takes. */
const act = (items: readonly Item[], [what, key, size]: Act, max: number, weigh: (size: number) => number): Item[] => {
  const found = items.filter((item) => item.key === key);
  const others = items.filter((item) => item.key !== key);
  if (what === 'clear') return [];
  if (what === 'delete') return others;
  if (what === 'peek') return [...items];
  if (what === 'get') return [...others, ...found];
  const kept = weigh(size) > max ? others : [...others, { key, size }];
  while (kept.reduce((sum, item) => sum + weigh(item.size), 0) > max) kept.shift();
  return kept;
};

const perform = (map: BoundedMap<string, Item>, [what, key, size]: Act): unknown => {
  if (what === 'set') return map.set(key, { key, size });
  return what === 'clear' ? map.clear() : map[what](key);
};

const compare = (
  make: (max: number, onDropped: (item: Item) => void) => BoundedMap<string, Item>,
  weigh: (size: number) => number,
): void =>
  fc.assert(
    fc.property(acts, fc.integer({ min: 1, max: 12 }), (history, max) => {
      const dropped: Item[] = [];
      const map = make(max, (item) => dropped.push(item));
      let items: Item[] = [];
      let set = 0;
      for (const step of history) {
        perform(map, step);
        items = act(items, step, max, weigh);
        if (step[0] === 'set' && weigh(step[2]) <= max) set += 1;
        assert.equal([...map.values()], items.toReversed());
        assert.equal(
          KEYS.map((key) => map.has(key)),
          KEYS.map((key) => items.some((item) => item.key === key)),
        );
        assert.equal(
          [map.size, dropped.length, new Set(dropped).size],
          [items.length, set - items.length, set - items.length],
        );
      }
    }),
    { numRuns: 500 },
  );

block('bounded maps', (check) => {
  check('of so many entries: the least recently used is dropped, and each is told once', () =>
    compare(boundedByCount, () => 1),
  );
  check('of so many bytes: one that is too large alone is not kept, and drops no others', () =>
    compare(
      (max, onDropped) => boundedByBytes(max, ({ size }) => size, onDropped),
      (size) => Math.max(1, size), // nothing is free, or there would be no bound
    ),
  );
  check('pages that failed are refused while others fail, except for the oldest', async () => {
    const pages = new FailingPages();
    const fail = (key: string) => thrownBy(() => pages.run(key, () => Promise.reject(new AppError('Timeout'))));
    for (let n = 0; n < 999; n += 1) await fail(`page ${n}`);
    for (const key of ['bad', 'bad']) await fail(key);
    for (let n = 0; n < 999; n += 1) await fail(`other ${n}`);
    assert.match(String(await thrownBy(() => pages.run('bad', async () => 1))), /failed twice/);
    await fail('one more');
    assert.is(await pages.run('bad', async () => 1), 1);
  });
});
