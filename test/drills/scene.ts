// What the drills share: a house in which something goes wrong, on a small disk or with a preloaded library, and what must hold meanwhile and
// afterwards.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { until } from '../app.js';
import { type SmallDisk, smallDisk, whyNoDisk } from '../small-disk.js';
import { compiledShim, type Shim } from '../system/shims.js';
import { type House, openHouse, PAGES } from './house.js';

export interface Fault {
  /** Why it cannot be tried on this machine; null when it can. */
  readonly hindrance: () => string | null;
  /** Returns what was found wrong. */
  readonly run: () => Promise<readonly string[]>;
}

export type Found = string[];
export const PATIENT_MS = 60_000;
const DISK_MB = 24;

export const expects = (found: Found, isSo: boolean, sentence: string): void => {
  if (!isSo) found.push(sentence);
};

/** Pages and lists, for each book one; `allowed` for the pages. */
export const readers = async (
  house: House,
  found: Found,
  when: string,
  allowed: readonly number[] = [200],
): Promise<void> => {
  for (const [at, id] of house.books().entries()) {
    const answer = await house.fetch(`/books/${id}/pages/${1 + (at % PAGES)}`, AbortSignal.timeout(PATIENT_MS));
    await answer.arrayBuffer();
    expects(found, allowed.includes(answer.status), `${when}: a page was answered with ${answer.status}`);
  }
  for (const path of ['/books?pageSize=10', '/series', '/auth/me', `/books/${house.books()[0]}`]) {
    const { status } = await house.ask('GET', path);
    expects(found, status === 200, `${when}: GET ${path} was answered with ${status}`);
  }
};

export const writes = async (house: House, found: Found, when: string): Promise<void> => {
  for (const id of house.books().slice(0, 5))
    expects(
      found,
      await house.write(`progress ${id}`, String(1 + (when.length % PAGES))),
      `${when}: a write was not stored`,
    );
};

/** Writes until one is refused; house.write throws for what is neither stored nor refused with 503. */
export const refused = async (house: House): Promise<number> => {
  for (let n = 0; n < 2000; n += 1) {
    const series = house.series()[n % house.series().length] ?? '';
    if (!(await house.write(`summary ${series}`, `${n} `.repeat(3000)))) return n;
  }
  return -1;
};

export const scanned = async (house: House): Promise<void> => {
  const [library] = (await house.ask('GET', '/libraries')).json.data;
  await house.ask('POST', `/libraries/${library.id}/scan?mode=deep`);
  await until(
    'the scan ends',
    async () =>
      !['running', 'pending'].includes((await house.ask('GET', `/libraries/${library.id}/scan-status`)).json?.status),
    PATIENT_MS,
  );
};

export const stopped = async (house: House, found: Found): Promise<void> => {
  house.program().child.kill('SIGTERM');
  const code = await house.program().ended;
  expects(found, code === 0, `SIGTERM ended it with ${code}: ${house.program().printed().slice(-500)}`);
};

/** The end of every drill: stopped, started, and everything is there. */
export const settled = async (house: House, found: Found): Promise<void> => {
  await stopped(house, found);
  await house.open();
  found.push(...(await house.lost()));
  await readers(house, found, 'at the end');
  await stopped(house, found);
  found.push(...(await house.faults()));
};

export interface Scene {
  readonly house: House;
  readonly found: Found;
  /** Gone afterwards. */
  readonly folder: string;
}

export const inScene = async (
  open: (folder: string) => Promise<House>,
  act: (scene: Scene) => Promise<void>,
): Promise<readonly string[]> => {
  const folder = mkdtempSync(join(tmpdir(), 'longbox-fault-'));
  const house = await open(folder);
  const found: Found = [];
  try {
    await act({ house, found, folder });
    return found;
  } finally {
    await house.end();
    house.remove();
    rmSync(folder, { recursive: true, force: true });
  }
};

export const onDisk = (act: (disk: SmallDisk) => Promise<readonly string[]>): Fault => ({
  hindrance: () => whyNoDisk('tmpfs'),
  run: async () => {
    const disk = smallDisk('tmpfs', DISK_MB);
    if (typeof disk === 'string') throw new Error(disk);
    try {
      return await act(disk);
    } finally {
      disk.remove();
    }
  },
});

/** With a shim; `control` exists while it acts. */
export const withShim = (
  shim: Shim,
  environment: (house: House, control: string) => Record<string, string>,
  act: (scene: Scene & { readonly control: string }) => Promise<void>,
): Fault => ({
  hindrance: () => {
    const folder = mkdtempSync(join(tmpdir(), 'longbox-shim-'));
    const library = compiledShim(shim, folder);
    rmSync(folder, { recursive: true, force: true });
    return library === undefined ? 'it needs gcc, and Linux' : null;
  },
  run: () =>
    inScene(
      () => openHouse(),
      async (scene) => {
        const { house, folder } = scene;
        const control = join(folder, 'control');
        const library = compiledShim(shim, folder) ?? '';
        await house.open({ LD_PRELOAD: library, ...environment(house, control) });
        await act({ ...scene, control });
        await settled(house, scene.found);
      },
    ),
});
