// Whatever people do to files between scans, of whole libraries or of folders, nothing that was read is lost, and nothing is credited to
// another book. Random operations on real files, compared with a model that knows which file holds which work.
import { rmSync } from 'node:fs';
import fc from 'fast-check';
import { writeRar } from '../../bench/rar-writer.js';
import { writeZip, type ZipItem } from '../../bench/zip-writer.js';
import { allLibraries } from '../../core/catalog/libraries.js';
import { until } from '../app.js';
import { assert, block, IS_FULL } from '../kit.js';
import { type ChangingShelf, comicInfo, paged, picture, withChangingShelf } from './changing-shelf.js';

const WORKS = 3;
const PAGES = 12;
const FOLDERS = ['A', 'B', 'C'] as const;

interface File {
  readonly work: number;
  readonly format: 'cbz' | 'cbr';
  readonly tag: number;
  readonly hasCredits: boolean;
}

const OPS = [
  'rename',
  'retag',
  'retag and move',
  'convert',
  'copy',
  'copy and retag',
  'delete',
  'restore',
  'credits',
] as const;

interface Step {
  readonly op: (typeof OPS)[number];
  readonly pick: number;
  readonly folder: number;
  /** What is scanned after it, if anything. */
  readonly scan: 'none' | 'all' | 'folder';
}

const step: fc.Arbitrary<Step> = fc.record({
  // Copies whose original is deleted are rare otherwise.
  op: fc.constantFrom(...OPS, 'copy', 'copy and retag', 'delete', 'delete'),
  pick: fc.nat(100),
  folder: fc.nat(FOLDERS.length - 1),
  scan: fc.constantFrom('none', 'all', 'all', 'folder'),
});

const bytesOf = ({ work, format, tag, hasCredits }: File): Buffer => {
  const credits: ZipItem[] = hasCredits ? [{ name: 'a.png', bytes: picture(`credits ${work}`) }] : [];
  const items = [...credits, ...paged(`work ${work}`, PAGES), comicInfo(`Tag ${tag}`)];
  return format === 'cbr' ? writeRar(items, { isPacked: false, isSolid: false }) : writeZip(items);
};

/** Different in each work. */
const pageRead = ({ work, hasCredits }: Pick<File, 'work' | 'hasCredits'>): number => 4 + 2 * work + Number(hasCredits);

class Model {
  readonly files = new Map<string, File>();
  /** Works of which a file that had the progress vanished while several others were there: the progress may wait. */
  readonly ambiguous = new Set<number>();
  /** Paths whose books had progress when it was last looked at. */
  holders: ReadonlySet<string> = new Set();
  readonly #shelf: ChangingShelf;
  #named = 0;

  constructor(shelf: ChangingShelf) {
    this.#shelf = shelf;
  }

  add(file: File, folder: string, stem = this.#fresh()): void {
    const path = `${folder}/${stem}.${file.format}`;
    this.files.set(path, file);
    this.#shelf.put(path, bytesOf(file));
  }

  #fresh(): string {
    this.#named += 1;
    return `Book ${this.#named}`;
  }

  remove(path: string): void {
    this.files.delete(path);
    rmSync(this.#shelf.path(path));
  }

  apply({ op, pick, folder: at }: Step): void {
    const paths = this.#pathsFor(op);
    const path = paths[pick % Math.max(1, paths.length)];
    const file = path === undefined ? undefined : this.files.get(path);
    const folder = FOLDERS[at] ?? 'A';
    if (op === 'restore' || path === undefined || file === undefined) {
      const gone = [0, 1, 2].find((work) => ![...this.files.values()].some((one) => one.work === work));
      if (gone !== undefined) this.add({ work: gone, format: 'cbz', tag: pick, hasCredits: false }, folder);
      return;
    }
    const [home = 'A', name = ''] = path.split('/');
    const stem = name.slice(0, name.lastIndexOf('.'));
    const apply: Record<Exclude<typeof op, 'restore'>, () => void> = {
      rename: () => this.#replace(path, file, folder),
      retag: () => this.#replace(path, { ...file, tag: file.tag + 1 }, home, stem),
      'retag and move': () => this.#replace(path, { ...file, tag: file.tag + 1 }, folder),
      convert: () => this.#replace(path, { ...file, format: file.format === 'cbz' ? 'cbr' : 'cbz' }, home, stem),
      copy: () => this.add(file, folder),
      'copy and retag': () => this.add({ ...file, tag: file.tag + 1 }, folder),
      delete: () => this.remove(path),
      credits: () => this.#replace(path, { ...file, hasCredits: true }, pick % 2 === 0 ? home : folder, stem),
    };
    apply[op]();
  }

  /** An original whose copy is there is deleted first. */
  #pathsFor(op: Step['op']): readonly string[] {
    const all = [...this.files];
    const copied = all.filter(
      ([path, { work }]) => this.holders.has(path) && all.filter(([, one]) => one.work === work).length > 1,
    );
    return (op === 'delete' && copied.length > 0 ? copied : all).map(([path]) => path);
  }

  #replace(path: string, file: File, folder: string, stem?: string): void {
    const target = `${folder}/${stem}.${file.format}`;
    if (target !== path && this.files.has(target)) return;
    this.remove(path);
    this.add(file, folder, stem);
  }

  /** Before a scan. */
  noteAmbiguous(): void {
    for (const work of [0, 1, 2]) {
      const live = [...this.files].filter(([, file]) => file.work === work);
      const isHeld = live.some(([path]) => this.holders.has(path));
      if (live.length > 1 && !isHeld) this.ambiguous.add(work);
    }
  }
}

const scanFolder = async (shelf: ChangingShelf, folder: string): Promise<void> => {
  shelf.temp.advance(1000);
  const { app } = shelf.temp;
  const [library] = await allLibraries(app.db);
  assert.ok(library !== undefined);
  if (library !== undefined) await app.scans.start(library, { mode: 'normal', part: [folder] });
  await until('the scan ends', () => app.scans.active().length === 0);
};

const checkProgress = async (shelf: ChangingShelf, model: Model): Promise<void> => {
  const holders = new Set<string>();
  const found = new Map<number, number>();
  for (const { id, path } of await shelf.books()) {
    const relative = path.slice(shelf.path().length + 1);
    const file = model.files.get(relative);
    if (file === undefined) continue;
    const progress = await shelf.progress(id);
    if (progress === undefined) continue;
    holders.add(relative);
    found.set(file.work, (found.get(file.work) ?? 0) + 1);
    assert.equal([progress.currentPage, progress.completed], [pageRead(file), false], `the place in ${relative}`);
  }
  model.holders = holders;
  for (const work of [0, 1, 2]) {
    const isThere = [...model.files.values()].some((file) => file.work === work);
    if (isThere && !model.ambiguous.has(work)) assert.ok((found.get(work) ?? 0) > 0, `work ${work} has its progress`);
  }
};

const play = (steps: readonly Step[]): Promise<void> =>
  withChangingShelf(async (shelf) => {
    const model = new Model(shelf);
    for (let n = 1; n <= 12; n += 1) shelf.write(`Others/Other ${n}.cbz`, paged(`other ${n}`, 4));
    for (let work = 0; work < WORKS; work += 1)
      model.add({ work, format: work === 1 ? 'cbr' : 'cbz', tag: 0, hasCredits: false }, FOLDERS[work] ?? 'A');
    await shelf.scan();
    for (const [path, file] of model.files) await shelf.read((await shelf.book(path)).id, pageRead(file));
    await checkProgress(shelf, model);
    for (const one of steps) {
      model.apply(one);
      if (one.scan === 'none') continue;
      model.noteAmbiguous();
      if (one.scan === 'folder') await scanFolder(shelf, FOLDERS[one.folder] ?? 'A');
      else {
        await shelf.scan();
        await checkProgress(shelf, model);
      }
    }
    model.noteAmbiguous();
    await shelf.scan();
    await checkProgress(shelf, model);
  });

const MODEL_TIME = IS_FULL ? { deadlineS: 300 } : {};

block(
  'files that people change at random',
  (check) => {
    check('nothing that was read is lost or credited to another book', async () => {
      const runs = IS_FULL ? 50 : 12;
      await fc.assert(fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 10 }), play), {
        numRuns: runs,
        endOnFailure: !IS_FULL,
      });
    });
  },
  MODEL_TIME,
);
