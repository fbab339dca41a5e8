// What else may happen to a server, each once: full disks (full-disks.ts), a read-only folder, mounts that vanish or hang, clocks that are
// set, a second process, a stop under load. Readers are served, writers are told the truth, and what was acknowledged is there afterwards.
import { execFileSync } from 'node:child_process';
import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { until } from '../app.js';
import { whyNoDisk } from '../small-disk.js';
import { spawnProgram } from '../system/program.js';
import { FULL_DISKS } from './full-disks.js';
import { BOOKS, CHEAP, type House, openHouse, PAGES } from './house.js';
import {
  expects,
  type Fault,
  inScene,
  PATIENT_MS,
  readers,
  refused,
  scanned,
  settled,
  stopped,
  withShim,
  writes,
} from './scene.js';

const readOnly = withShim(
  'read-only',
  (house, control) => ({ LONGBOX_READ_ONLY: house.data, LONGBOX_READ_ONLY_WHILE: control }),
  async ({ house, found, control }) => {
    await writes(house, found, 'before');
    writeFileSync(control, '');
    expects(found, (await refused(house)) >= 0, 'no write was refused in a read-only folder');
    await readers(house, found, 'while it is read-only');
    rmSync(control);
    await until('it is well again', () => house.write('preference well', 'again'), PATIENT_MS);
  },
);

const hangs = withShim(
  'hang',
  (house, control) => ({ LONGBOX_HANG: house.shelf, LONGBOX_HANG_WHILE: control }),
  async ({ house, found, control }) => {
    await readers(house, found, 'before');
    writeFileSync(control, '');
    await readers(house, found, 'while its disk hangs', [200, 503]);
    await writes(house, found, 'while a disk hangs');
    rmSync(control);
    await until(
      'pages are served again',
      async () => (await house.ask('GET', `/books/${house.books()[3]}/file`)).status === 200,
      PATIENT_MS,
    );
  },
);

const HOUR_MS = 3_600_000;

const setTo = (control: string, hours: number): void => {
  const bytes = Buffer.alloc(8);
  bytes.writeBigInt64LE(BigInt(Math.round(hours * HOUR_MS)));
  writeFileSync(control, bytes, { flag: 'r+' });
};

const clock: Fault = withShim(
  'clock',
  (_house, control) => {
    writeFileSync(control, Buffer.alloc(8));
    return { LONGBOX_CLOCK: control };
  },
  async ({ house, found, control }) => {
    const shown = async (): Promise<number> =>
      Date.parse((await house.fetch('/auth/me', AbortSignal.timeout(PATIENT_MS))).headers.get('date') ?? '');
    for (const [turn, hours] of [7, -6, 0.5, -12, 0].entries()) {
      setTo(control, hours);
      const when = `with the clock set by ${hours} hours`;
      // The header is renewed once a second.
      await until(when, async () => Math.abs((await shown()) - Date.now() - hours * HOUR_MS) < 60_000, PATIENT_MS);
      for (const id of house.books().slice(0, 8))
        expects(found, await house.write(`progress ${id}`, String(2 + turn)), `${when}: progress was not stored`);
      found.push(...(await house.lost()));
      await readers(house, found, when);
      await scanned(house);
    }
  },
);

const vanishes: Fault = {
  hindrance: () => whyNoDisk('tmpfs'),
  run: () =>
    inScene(
      () => openHouse(),
      async ({ house, found }) => {
        const real = `${house.shelf}-real`;
        renameSync(house.shelf, real);
        mkdirSync(house.shelf);
        const mount = (): Buffer => execFileSync('mount', ['--bind', real, house.shelf]);
        const unmount = (): Buffer => execFileSync('umount', ['-l', house.shelf]);
        mount();
        try {
          await house.open();
          await writes(house, found, 'before');
          unmount();
          await readers(house, found, 'without the mount', [200, 404, 503]);
          await scanned(house);
          const left = (await house.ask('GET', '/books?pageSize=500')).json?.data?.length;
          expects(found, left === BOOKS, `${left} of ${BOOKS} books are left after a scan without the mount`);
          await writes(house, found, 'without the mount');
        } finally {
          mount();
        }
        try {
          await scanned(house);
          await settled(house, found);
        } finally {
          unmount();
        }
      },
    ),
};

const second: Fault = {
  hindrance: () => null,
  run: () =>
    inScene(
      () => openHouse(),
      async ({ house, found }) => {
        await house.open();
        await writes(house, found, 'before');
        const other = spawnProgram(['serve', '--data', house.data, '--port', '0', '--host', '127.0.0.1'], CHEAP);
        const code = await other.ended;
        expects(found, code !== 0 && code !== null, `a second process ended with ${code}`);
        expects(
          found,
          /already|in use|another process/i.test(other.printed()),
          `it does not say why: ${other.printed()}`,
        );
        await readers(house, found, 'beside a second process');
        await writes(house, found, 'after a second process');
        await settled(house, found);
      },
    ),
};

/** Whole, or without an answer; a body that ends early rejects. */
const wholeOrClosed = (house: House, path: string): Promise<number> =>
  house.fetch(path, AbortSignal.timeout(PATIENT_MS)).then(
    async (answer) => {
      const wanted = Number(answer.headers.get('content-length') ?? Number.NaN);
      const { byteLength } = await answer.arrayBuffer();
      return Number.isNaN(wanted) || wanted === byteLength ? answer.status : -1;
    },
    () => 0,
  );

const stopUnderLoad: Fault = {
  hindrance: () => null,
  run: () =>
    inScene(
      () => openHouse(),
      async ({ house, found }) => {
        await house.open();
        const answers: number[] = [];
        let isOver = false;
        const reader = async (lane: number): Promise<void> => {
          for (let n = 0; !isOver; n += 1) {
            const id = house.books()[(lane + n) % BOOKS];
            const path = n % 3 === 0 ? `/books/${id}/file` : `/books/${id}/pages/${1 + (n % PAGES)}`;
            const status = await wholeOrClosed(house, path).catch(() => 0);
            answers.push(status);
            if (status === 0) return;
          }
        };
        const writer = async (lane: number): Promise<void> => {
          for (let n = 0; await house.write(`preference load${lane}`, `${n}`); n += 1);
        };
        const load = Promise.all([...[0, 1, 2, 3, 4, 5].map(reader), ...[0, 1, 2].map(writer)]);
        await until('there is load', () => answers.length > 50, PATIENT_MS);
        await stopped(house, found);
        isOver = true;
        await load;
        const wrong = answers.filter((status) => ![0, 200, 503].includes(status));
        expects(found, wrong.length === 0, `answers under a stop: ${wrong.join(', ')}`);
        await house.open();
        await settled(house, found);
      },
    ),
};

export const FAULTS: Readonly<Record<string, Fault>> = {
  ...FULL_DISKS,
  'read-only data folder': readOnly,
  'mount that vanishes': vanishes,
  'mount that hangs': hangs,
  'clock that is set': clock,
  'second process': second,
  'stop under load': stopUnderLoad,
};

/** What was found wrong; null when it cannot be tried here, which is said. */
export const runFault = async (name: string, say: (sentence: string) => void): Promise<readonly string[] | null> => {
  const fault = FAULTS[name];
  const hindrance = fault?.hindrance() ?? null;
  if (fault === undefined || hindrance !== null) {
    say(`${name}: skipped (${hindrance})`);
    return null;
  }
  const began = performance.now();
  const found = await fault
    .run()
    .catch((thrown: unknown) => [thrown instanceof Error ? thrown.message : String(thrown)]);
  say(`${name}: ${found.length === 0 ? 'held' : 'LOST'} (${((performance.now() - began) / 1000).toFixed(1)} s)`);
  for (const sentence of found) say(`  ${sentence}`);
  return found;
};
