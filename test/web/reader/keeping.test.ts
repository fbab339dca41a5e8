// Progress that is exact, told at most once a second and never lost, and profiles that become one set of settings.
import { changed, deviceOf, merged, type StoredProfile } from '../../../http/web/client/reader/rules/profiles.js';
import { type Place, ProgressKeeper, type Told } from '../../../http/web/client/reader/rules/progress-keeper.js';
import { BOUNDS, DEFAULTS, SETTINGS, settingsIn } from '../../../http/web/client/reader/rules/settings.js';
import { assert, block } from '../../kit.js';

/** A clock turned by hand, and a server that answers when it is told to. */
const desk = (kept?: Place) => {
  let now = 10_000;
  let stored: Place | undefined = kept;
  const waiting = new Map<() => void, number>();
  const told: { readonly page: number; readonly atMs: number; readonly isLast: boolean; readonly sentMs: number }[] =
    [];
  const answers: ((answer: Told) => void)[] = [];
  const keeper = new ProgressKeeper(
    {
      tell: (place, isLast) => {
        told.push({ ...place, isLast, sentMs: now });
        return new Promise((resolve) => answers.push(resolve));
      },
      keep: (place) => {
        stored = place;
      },
      nowMs: () => now,
      wait: (ms, run) => {
        waiting.set(run, now + ms);
        return () => waiting.delete(run);
      },
    },
    kept,
  );
  const settle = async () => {
    for (let turn = 0; turn < 5; turn++) await Promise.resolve();
  };
  return {
    keeper,
    told,
    kept: () => stored,
    answer: async (answer: Told) => {
      answers.shift()?.(answer);
      await settle();
    },
    pass: async (ms: number) => {
      now += ms;
      for (const [run, at] of [...waiting])
        if (at <= now) {
          waiting.delete(run);
          run();
        }
      await settle();
    },
  };
};

block('the keeper of progress', (check) => {
  check('tells nothing by itself', async () => {
    const { told, pass } = desk();
    await pass(100_000);
    assert.equal(told, []);
  });
  check('tells the first page at once, with the time it was read', () => {
    const { keeper, told } = desk();
    keeper.read(7);
    assert.equal(told, [{ page: 7, atMs: 10_000, isLast: false, sentMs: 10_000 }]);
  });
  check('tells at most once a second, and then the page reached, however fast somebody scrolls', async () => {
    const { keeper, told, pass, answer } = desk();
    keeper.read(1);
    await answer('stored');
    for (let page = 2; page <= 50; page++) {
      await pass(10);
      keeper.read(page);
    }
    assert.is(told.length, 1);
    await pass(600);
    assert.equal(
      told.map(({ page }) => page),
      [1, 50],
    );
    const [first, second] = told;
    assert.ok((second?.sentMs ?? 0) - (first?.sentMs ?? 0) >= 1000);
  });
  check('what is read while an answer is awaited is told after it', async () => {
    const { keeper, told, pass, answer, kept } = desk();
    keeper.read(1);
    await pass(3000);
    keeper.read(2);
    assert.is(told.length, 1);
    await answer('stored');
    assert.equal(
      told.map(({ page }) => page),
      [1, 2],
    );
    assert.is(kept()?.page, 2, 'not known to be stored yet');
    await answer('stored');
    assert.is(kept(), undefined);
  });
  check('what could not be told is kept with its time, and tried again, more and more rarely', async () => {
    const { keeper, told, pass, answer, kept } = desk();
    keeper.read(3);
    await answer('undelivered');
    assert.equal(kept(), { page: 3, atMs: 10_000 });
    for (const waitMs of [2000, 4000, 8000]) {
      const before = told.length;
      await pass(waitMs - 1);
      assert.is(told.length, before);
      await pass(1);
      assert.is(told.length, before + 1);
      await answer('undelivered');
    }
    assert.ok(told.every(({ page, atMs }) => page === 3 && atMs === 10_000));
  });
  check('the network being back is no reason to wait', async () => {
    const { keeper, told, pass, answer, kept } = desk();
    keeper.read(3);
    await answer('undelivered');
    await pass(1000);
    keeper.retry();
    assert.is(told.length, 2);
    await answer('stored');
    assert.is(kept(), undefined);
  });
  check('what an earlier visit could not tell is told', async () => {
    const { told, answer, kept } = desk({ page: 9, atMs: 5 });
    assert.equal(
      told.map(({ page, atMs }) => [page, atMs]),
      [[9, 5]],
    );
    await answer('stored');
    assert.is(kept(), undefined);
  });
  check('what the server refuses for good is not kept', async () => {
    const { keeper, told, pass, answer, kept } = desk();
    keeper.read(3);
    await answer('refused');
    await pass(100_000);
    assert.is(told.length, 1);
    assert.is(kept(), undefined);
  });
  check('whoever leaves tells what is due at once, and keeps it until it is known to be stored', async () => {
    const { keeper, told, answer, kept } = desk();
    keeper.read(1);
    await answer('stored');
    keeper.read(2);
    keeper.leave();
    assert.equal(
      told.map(({ page, isLast }) => [page, isLast]),
      [
        [1, false],
        [2, true],
      ],
    );
    assert.is(kept()?.page, 2);
    keeper.leave();
    assert.is(told.length, 3, 'still not known to be stored');
  });
  check('leaving tells nothing that was stored', async () => {
    const { keeper, told, answer } = desk();
    keeper.read(1);
    await answer('stored');
    keeper.leave();
    assert.is(told.length, 1);
  });
});

const profile = (value: unknown, place: Partial<StoredProfile> = {}): StoredProfile => ({
  id: 'p',
  seriesId: null,
  libraryId: null,
  device: null,
  ...place,
  value,
});

block('profiles', (check) => {
  check('without any, everything is as it is by default', () => assert.equal(merged([]), DEFAULTS));
  check('the more specific wins, setting by setting', () => {
    const settings = merged([
      profile({ gap: 1, step: 10, fit: 'width', padding: 3 }),
      profile({ gap: 2, step: 20, fit: 'height' }, { device: 'phone' }),
      profile({ gap: 3, step: 30 }, { libraryId: 'l' }),
      profile({ gap: 4 }, { seriesId: 's' }),
      profile({ gap: 5 }, { seriesId: 's', device: 'phone' }),
    ]);
    assert.equal([settings.gap, settings.step, settings.fit, settings.padding], [5, 30, 'height', 3]);
  });
  check('what has no meaning here is left out, and what is out of bounds is brought within', () => {
    assert.equal(settingsIn('width'), {});
    assert.equal(settingsIn(null), {});
    assert.equal(settingsIn({ fit: 'sideways', gap: '3', other: 1, invert: 'yes', ownZones: ['next'] }), {});
    assert.equal(settingsIn({ gap: 9999, brightness: -5, padding: Number.NaN }), {
      gap: BOUNDS.gap.max,
      brightness: 20,
    });
    assert.equal(settingsIn({ keys: { next: ['X', 3], other: ['Y'], last: 'Z' } }), { keys: { next: ['X'] } });
  });
  check('each default is a value of its setting', () => {
    assert.equal(settingsIn(DEFAULTS), DEFAULTS);
    assert.equal([...SETTINGS].sort(), Object.keys(DEFAULTS).sort());
  });
  check('a change is added to what its place says, and is not hidden by a more specific one', () => {
    const stored = [
      profile({ gap: 1, step: 10 }),
      profile({ gap: 5, invert: true }, { seriesId: 's', device: 'phone' }),
      profile({ step: 20 }, { seriesId: 's' }),
    ];
    const everything = { scope: 'everything', device: null } as const;
    assert.equal(changed(stored, everything, { gap: 2 }), [
      { target: everything, value: { gap: 2, step: 10 } },
      { target: { scope: 'series', device: 'phone' }, value: { invert: true } },
    ]);
    const series = { scope: 'series', device: null } as const;
    assert.equal(changed(stored, series, { fit: 'width' }), [{ target: series, value: { step: 20, fit: 'width' } }]);
  });
  check('kinds of device', () => {
    assert.is(deviceOf(390, 844, true), 'phone');
    assert.is(deviceOf(844, 390, true), 'phone');
    assert.is(deviceOf(820, 1180, true), 'tablet');
    assert.is(deviceOf(1440, 900, false), 'desktop');
    assert.is(deviceOf(1440, 500, false), 'desktop');
    assert.is(deviceOf(500, 900, false), 'phone');
  });
});
