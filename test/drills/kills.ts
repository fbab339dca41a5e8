// kill -9 at random moments of what the program does, again and again: it starts again by itself, and has everything that it acknowledged.
import { existsSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { seeded } from '../../bench/corpus.js';
import { checkDatabase } from '../../core/upkeep/backup.js';
import { writeBook } from '../app.js';
import { unpackEarlier } from '../earlier.js';
import { kill, spawnProgram, startProgram } from '../system/program.js';
import { CHEAP, type House, openHouse, PAGES } from './house.js';

export interface Kills {
  readonly kills: number;
  readonly seed: number;
  readonly say: (sentence: string) => void;
}

export interface Toll {
  kills: number;
  readonly lost: string[];
  readonly faults: string[];
}

type Random = (below: number) => number;
/** Does something, and returns what was found wrong, once it was killed in the middle. */
type Drill = (house: House, random: Random, round: number) => Promise<readonly string[]>;

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** Writers that go on until the program is gone. */
const writeOn = async (house: House, random: Random, round: number): Promise<void> => {
  const [books, series] = [house.books(), house.series()];
  const writer = async (lane: number): Promise<void> => {
    for (let n = 0; ; n += 1) {
      const names = [
        [`progress ${books[(lane * 7 + random(7)) % books.length]}`, String(1 + random(PAGES))],
        [`preference p${lane}_${random(5)}`, `${round}-${n}`],
        [`summary ${series[lane % series.length]}`, `summary ${round}-${n}`],
        [`list r${round}l${lane}n${n}`, `r${round}l${lane}n${n}`],
      ] as const;
      const [name, value] = names[n % 40 === 3 ? 3 : random(3)] ?? names[0];
      if (!(await house.write(name, value))) return;
    }
  };
  await Promise.all([0, 1, 2].map(writer));
};

const killSoon = async (house: House, ms: number): Promise<void> => {
  await pause(ms);
  await kill(house.program());
};

const inWrites: Drill = async (house, random, round) => {
  await Promise.all([writeOn(house, random, round), killSoon(house, 50 + random(700))]);
  return [];
};

const inScan: Drill = async (house, random, round) => {
  for (let n = 0; n < 12; n += 1) writeBook(join(house.shelf, `Round ${round}`, `Book ${n}.cbz`), 2, `${round} ${n}`);
  const [library] = (await house.ask('GET', '/libraries')).json.data;
  await house.ask('POST', `/libraries/${library.id}/scan?mode=deep`);
  await Promise.all([writeOn(house, random, round), killSoon(house, random(500))]);
  rmSync(join(house.shelf, `Round ${round}`), { recursive: true });
  return [];
};

/** The faults of a copy: restores it into a separate folder and checks that database. */
const faultsOfCopy = async (house: House, copy: string): Promise<readonly string[]> => {
  const data = join(house.folder, 'restored');
  mkdirSync(data, { mode: 0o700 });
  try {
    const restore = spawnProgram(['restore', copy, '--data', data], CHEAP);
    if ((await restore.ended) !== 0) return [`a copy: ${restore.printed()}`];
    return (await checkDatabase(join(data, 'longbox.db'), false)).faults.map((fault) => `a copy: ${fault}`);
  } finally {
    rmSync(data, { recursive: true });
  }
};

/** The copy is whole, or not there. */
const inBackup: Drill = async (house, random, round) => {
  const copy = join(house.folder, `copy-${round}.db`);
  const backup = spawnProgram(['backup', copy, '--data', house.data], CHEAP);
  const writes = writeOn(house, random, round);
  await pause(100 + random(1400));
  backup.child.kill('SIGKILL');
  await backup.ended;
  await Promise.all([writes, kill(house.program())]);
  if (!existsSync(copy)) return [];
  const faults = await faultsOfCopy(house, copy);
  rmSync(copy);
  return faults;
};

/** Of a copy of what is there: the old database and the new one hold the same. */
const inRestore: Drill = async (house, random, round) => {
  const copy = join(house.folder, `copy-${round}.db`);
  await kill(house.program());
  const backup = spawnProgram(['backup', copy, '--data', house.data], CHEAP);
  if ((await backup.ended) !== 0) return [`no copy can be made: ${backup.printed()}`];
  const restore = spawnProgram(['restore', copy, '--data', house.data], CHEAP);
  await pause(150 + random(900));
  restore.child.kill('SIGKILL');
  await restore.ended;
  return [];
};

/** The database of an earlier version, in a folder of its own. */
const inUpgrade: Drill = async (house, random) => {
  const earlier = await unpackEarlier();
  try {
    const upgrade = spawnProgram(['serve', '--data', earlier.data, '--port', '0', '--host', '127.0.0.1'], CHEAP);
    await Promise.all([killSoon(house, 0), pause(250 + random(1200))]);
    upgrade.child.kill('SIGKILL');
    await upgrade.ended;
    const program = await startProgram(['--data', earlier.data], CHEAP);
    await kill(program);
    return (await checkDatabase(earlier.database, false)).faults.map((fault) => `an upgrade: ${fault}`);
  } finally {
    rmSync(earlier.folder, { recursive: true, force: true });
  }
};

/** In the first half second of its life, whatever it does then. */
const inStart: Drill = async (house, random) => {
  await kill(house.program());
  const start = spawnProgram(['serve', house.shelf, '--data', house.data, '--port', '0', '--host', '127.0.0.1'], CHEAP);
  await pause(random(1500));
  start.child.kill('SIGKILL');
  await start.ended;
  return [];
};

export const DRILLS: Readonly<Record<string, Drill>> = {
  writes: inWrites,
  scan: inScan,
  backup: inBackup,
  restore: inRestore,
  upgrade: inUpgrade,
  start: inStart,
};

/** Each kind in turn, at moments that the seed chooses. */
export const runKills = async ({ kills, seed, say }: Kills): Promise<Toll> => {
  const dice = seeded(seed);
  const random: Random = (below) => Math.floor(dice() * below);
  const toll: Toll = { kills: 0, lost: [], faults: [] };
  const house = await openHouse();
  const names = Object.keys(DRILLS);
  try {
    await house.open();
    for (let round = 0; round < kills; round += 1) {
      const name = names[round % names.length] ?? 'writes';
      const wrong = (await DRILLS[name]?.(house, random, round)) ?? [];
      toll.kills += 1;
      await house.open();
      const found = { lost: await house.lost(), faults: [...wrong, ...(await house.faults())] };
      for (const kind of ['lost', 'faults'] as const)
        for (const sentence of found[kind]) {
          toll[kind].push(sentence);
          say(`kill ${round} (${name}): ${kind}: ${sentence}`);
        }
      if (toll.kills % 10 === 0) say(`${toll.kills} kills, ${toll.lost.length} lost, ${toll.faults.length} faults`);
    }
    house.program().child.kill('SIGTERM');
    if ((await house.program().ended) !== 0) toll.faults.push('the program did not end by itself');
  } finally {
    await house.end();
    house.remove();
  }
  return toll;
};
