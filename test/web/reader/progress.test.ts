// Progress that is exact, sent at most once a second and never lost, and profiles that become one set of settings.
import {
  changed,
  deviceOf,
  merged,
  overriddenBy,
  resetSettings,
  type StoredProfile,
  seriesTarget,
  settingsAt,
  targetIn,
  targetText,
} from '../../../http/web/client/reader/rules/profiles.js';
import {
  type Position,
  ProgressReporter,
  type ReportResult,
} from '../../../http/web/client/reader/rules/progress-reporter.js';
import { BOUNDS, DEFAULTS, SETTINGS, settingsIn } from '../../../http/web/client/reader/rules/settings.js';
import { withShift } from '../../../http/web/client/reader/rules/shifted-books.js';
import { assert, block } from '../../kit.js';

/** A clock turned by hand, and a server that answers when the test says so. */
const setUp = (saved?: Position) => {
  let now = 10_000;
  let stored: Position | undefined = saved;
  const waiting = new Map<() => void, number>();
  const sent: { readonly page: number; readonly atMs: number; readonly isLast: boolean; readonly sentMs: number }[] =
    [];
  const answers: ((answer: ReportResult) => void)[] = [];
  const reporter = new ProgressReporter(
    {
      send: (position, isLast) => {
        sent.push({ ...position, isLast, sentMs: now });
        return new Promise((resolve) => answers.push(resolve));
      },
      save: (position) => {
        stored = position;
      },
      nowMs: () => now,
      wait: (ms, run) => {
        waiting.set(run, now + ms);
        return () => waiting.delete(run);
      },
    },
    saved,
  );
  const settle = async () => {
    for (let turn = 0; turn < 5; turn++) await Promise.resolve();
  };
  return {
    reporter,
    sent,
    saved: () => stored,
    answer: async (answer: ReportResult) => {
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

block('the progress reporter', (check) => {
  check('sends nothing by itself', async () => {
    const { sent, pass } = setUp();
    await pass(100_000);
    assert.equal(sent, []);
  });
  check('sends the first page at once, with the time it was read', () => {
    const { reporter, sent } = setUp();
    reporter.read(7);
    assert.equal(sent, [{ page: 7, atMs: 10_000, isLast: false, sentMs: 10_000 }]);
  });
  check('sends at most once a second, and then the page reached, however fast somebody scrolls', async () => {
    const { reporter, sent, pass, answer } = setUp();
    reporter.read(1);
    await answer('stored');
    for (let page = 2; page <= 50; page++) {
      await pass(10);
      reporter.read(page);
    }
    assert.is(sent.length, 1);
    await pass(600);
    assert.equal(
      sent.map(({ page }) => page),
      [1, 50],
    );
    const [first, second] = sent;
    assert.ok((second?.sentMs ?? 0) - (first?.sentMs ?? 0) >= 1000);
  });
  check('what is read while an answer is awaited is sent after it', async () => {
    const { reporter, sent, pass, answer, saved } = setUp();
    reporter.read(1);
    await pass(3000);
    reporter.read(2);
    assert.is(sent.length, 1);
    await answer('stored');
    assert.equal(
      sent.map(({ page }) => page),
      [1, 2],
    );
    assert.is(saved()?.page, 2, 'not known to be stored yet');
    await answer('stored');
    assert.is(saved(), undefined);
  });
  check('what could not be sent is saved with its time, and tried again, more and more rarely', async () => {
    const { reporter, sent, pass, answer, saved } = setUp();
    reporter.read(3);
    await answer('undelivered');
    assert.equal(saved(), { page: 3, atMs: 10_000 });
    for (const waitMs of [2000, 4000, 8000]) {
      const before = sent.length;
      await pass(waitMs - 1);
      assert.is(sent.length, before);
      await pass(1);
      assert.is(sent.length, before + 1);
      await answer('undelivered');
    }
    assert.ok(sent.every(({ page, atMs }) => page === 3 && atMs === 10_000));
  });
  check('the network being back is no reason to wait', async () => {
    const { reporter, sent, pass, answer, saved } = setUp();
    reporter.read(3);
    await answer('undelivered');
    await pass(1000);
    reporter.retry();
    assert.is(sent.length, 2);
    await answer('stored');
    assert.is(saved(), undefined);
  });
  check('what an earlier visit could not send is sent', async () => {
    const { sent, answer, saved } = setUp({ page: 9, atMs: 5 });
    assert.equal(
      sent.map(({ page, atMs }) => [page, atMs]),
      [[9, 5]],
    );
    await answer('stored');
    assert.is(saved(), undefined);
  });
  check('what the server refuses for good is not saved', async () => {
    const { reporter, sent, pass, answer, saved } = setUp();
    reporter.read(3);
    await answer('refused');
    await pass(100_000);
    assert.is(sent.length, 1);
    assert.is(saved(), undefined);
  });
  check('leaving sends what is pending at once, and keeps it saved until it is known to be stored', async () => {
    const { reporter, sent, answer, saved } = setUp();
    reporter.read(1);
    await answer('stored');
    reporter.read(2);
    reporter.leave();
    assert.equal(
      sent.map(({ page, isLast }) => [page, isLast]),
      [
        [1, false],
        [2, true],
      ],
    );
    assert.is(saved()?.page, 2);
    reporter.leave();
    assert.is(sent.length, 3, 'still not known to be stored');
  });
  check('leaving sends nothing that was stored', async () => {
    const { reporter, sent, answer } = setUp();
    reporter.read(1);
    await answer('stored');
    reporter.leave();
    assert.is(sent.length, 1);
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
  check('a target has its values without those of more specific ones, and says which of these overrides it', () => {
    const stored = [
      profile({ gap: 1, step: 10 }),
      profile({ step: 15 }, { device: 'phone' }),
      profile({ gap: 5 }, { seriesId: 's', device: 'phone' }),
    ];
    const everything = { scope: 'everything', device: null } as const;
    const onPhones = { scope: 'everything', device: 'phone' } as const;
    const series = { scope: 'series', device: 'phone' } as const;
    assert.equal([settingsAt(stored, everything).gap, settingsAt(stored, everything).step], [1, 10]);
    assert.equal([settingsAt(stored, onPhones).gap, settingsAt(stored, onPhones).step], [1, 15]);
    assert.equal(settingsAt(stored, series), merged(stored));
    assert.is(overriddenBy(stored, everything, 'gap'), 'series');
    assert.is(overriddenBy(stored, everything, 'step'), 'device');
    assert.is(overriddenBy(stored, onPhones, 'step'), null);
    assert.is(overriddenBy(stored, { scope: 'series', device: null }, 'gap'), 'device');
    assert.is(overriddenBy(stored, { scope: 'library', device: null }, 'step'), null);
  });
  check('a shift of pairs applies to a single book, survives a reset, and does not redirect other changes', () => {
    const onAny = { scope: 'series', device: null } as const;
    const shift = { shifted: withShift(withShift([], 'a', true), 'b', true) };
    assert.equal(shift, { shifted: ['a', 'b'] });
    assert.equal(withShift(shift.shifted, 'a', false), ['b']);
    const stored = [profile(shift, { seriesId: 's' })];
    assert.equal(seriesTarget(stored, 'phone'), { scope: 'series', device: 'phone' });
    assert.equal(seriesTarget([profile({ ...shift, gap: 2 }, { seriesId: 's' })], 'phone'), onAny);
    assert.equal(resetSettings([profile({ ...shift, gap: 2 }, { seriesId: 's' })], onAny), shift);
    assert.equal(resetSettings([profile({ gap: 2 }, { seriesId: 's' })], onAny), {});
    const [change] = changed(stored, onAny, { gap: 3 });
    assert.equal(change?.value, { ...shift, gap: 3 });
  });
  check('the profile of a long series has room for its shifted books', () => {
    const many = Array.from({ length: 300 }, (_, at) => `${at}`.padStart(36, 'b'));
    const listed = many.reduce<readonly string[]>((sum, id) => withShift(sum, id, true), []);
    assert.is(listed.at(-1), many.at(-1));
    assert.ok(JSON.stringify({ shifted: listed }).length < 4096, 'half of what the server stores');
  });
  check('the target used last is restored, for the current kind of device', () => {
    const everywhere = { scope: 'everything', device: null } as const;
    const here = { scope: 'library', device: 'phone' } as const;
    assert.equal(targetIn(targetText(everywhere), 'tablet'), everywhere);
    assert.equal(targetIn(targetText(here), 'tablet'), { scope: 'library', device: 'tablet' });
    assert.is(targetIn('shelf any', 'tablet'), undefined);
    assert.is(targetIn(null, 'tablet'), undefined);
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
