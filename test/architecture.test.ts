// The arrows of ARCHITECTURE.md, and the house rules a machine can check. An exception is a row with a reason; a stale one fails.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { KINDS } from '../core/model/errors.js';
import { WIRE } from '../http/surface/errors.js';
import { readSources, type Source } from './imports.js';
import { assert, block } from './kit.js';

const sources = readSources();
const program = sources.filter(({ path }) => /^(?:core|http|workers)\//.test(path));

/** What each room of core may import, besides itself. */
const ROOMS: Readonly<Record<string, readonly string[]>> = {
  model: [],
  store: ['model'],
  engine: ['store', 'model'],
  tasks: ['engine', 'store', 'model'],
  tracing: ['access', 'engine', 'store', 'model'],
  catalog: ['engine', 'store', 'model'],
  pages: ['catalog', 'engine', 'store', 'model'],
  scan: ['tasks', 'pages', 'catalog', 'engine', 'store', 'model'],
  reading: ['catalog', 'engine', 'store', 'model'],
  access: ['engine', 'store', 'model'],
  sharing: ['access', 'catalog', 'engine', 'store', 'model'],
  'sign-on': ['sharing', 'access', 'engine', 'store', 'model'],
  settings: ['access', 'catalog', 'engine', 'store', 'model'],
  sync: ['reading', 'access', 'catalog', 'engine', 'store', 'model'],
  events: ['reading', 'scan', 'tasks', 'catalog', 'access', 'engine', 'store', 'model'],
  upkeep: ['tasks', 'access', 'engine', 'store', 'model'],
};

/** What each room of http may import, besides itself: surfaces -> surface -> server, and no surface knows another. */
const HTTP_ROOMS: Readonly<Record<string, readonly string[]>> = {
  server: [],
  surface: ['server'],
  readium: ['surface', 'server'],
  api: ['readium', 'surface', 'server'],
  docs: ['surface', 'server'],
  pages: ['surface', 'server'],
  opds: ['readium', 'surface', 'server'],
  comics: ['readium', 'surface', 'server'],
  sync: ['surface', 'server'],
  web: ['surface', 'server'],
  metrics: ['surface', 'server'],
  config: ['server'],
  cli: ['config', 'metrics', 'docs', 'pages', 'opds', 'comics', 'sync', 'web', 'api', 'surface', 'server'],
};

const TOP: Readonly<Record<string, readonly string[]>> = {
  build: [],
  core: [],
  http: ['core'],
  workers: ['core'],
  fixtures: [],
  bench: ['core', 'http', 'workers', 'test', 'fixtures'],
  test: ['core', 'http', 'workers', 'bench', 'fixtures'],
};

/** Packages that more than one file may import. */
const SHARED: Readonly<Record<string, string>> = {
  piscina: 'the pool starts threads, the entry moves results out of them',
  typebox: 'every table of routes names its schemas',
  preact: 'every part of the web client is made of its elements',
  '@preact/signals': 'what parts of the web client share, they share as signals',
};

const LINES_MAX = 300;
const BANNED =
  /(?:^|[-/])(?:util|utils|helper|helpers|common|misc|manager|service|handler|processor|data|info|base)(?=[-./]|$)/;

const folderOf = (path: string): string => path.split('/')[0] ?? '';
const roomOf = (path: string): string => path.split('/')[1] ?? '';

const strayArrows = ({ path, files }: Source): string[] =>
  files
    .filter((target) => {
      const [from, to] = [folderOf(path), folderOf(target)];
      if (from !== to) return !TOP[from]?.includes(to) || (from === 'workers' && !target.startsWith('core/model/'));
      if (path === 'core/start.ts' || path === 'http/longbox.cts') return false;
      const rooms = from === 'core' ? ROOMS : from === 'http' ? HTTP_ROOMS : undefined;
      if (rooms === undefined) return false;
      return roomOf(path) !== roomOf(target) && !rooms[roomOf(path)]?.includes(roomOf(target));
    })
    .map((target) => `${path} -> ${target}`);

/** Depth first; a file met again on its own path closes a cycle. */
const cycles = (): string[] => {
  const byPath = new Map(sources.map((source) => [source.path, source]));
  const state = new Map<string, 'open' | 'done'>();
  const found: string[] = [];
  const visit = (path: string, trail: readonly string[]): void => {
    if (state.get(path) === 'open') found.push([...trail.slice(trail.indexOf(path)), path].join(' -> '));
    if (state.has(path)) return;
    state.set(path, 'open');
    for (const next of byPath.get(path)?.files ?? []) visit(next, [...trail, path]);
    state.set(path, 'done');
  };
  for (const { path } of sources) visit(path, []);
  return found;
};

const importers = (): ReadonlyMap<string, ReadonlySet<string>> => {
  const found = new Map<string, Set<string>>();
  for (const { path, packages } of program)
    for (const name of packages) found.set(name, (found.get(name) ?? new Set()).add(path));
  return found;
};

block('architecture', (check) => {
  check('arrows go where the picture says, types too', () => assert.equal(sources.flatMap(strayArrows), []));
  check('there is no cycle, not even of types', () => assert.equal(cycles(), []));
  check('conditions and plans of lists are made without a database', () => {
    const pure = sources.filter(({ path }) => /^core\/catalog\/(?:conditions\/|query\/(?:plan|key-set)\.)/.test(path));
    assert.ok(pure.length > 5);
    assert.equal(
      pure.flatMap(({ path, files }) =>
        files
          .filter((target) => /^core\/(?:store|catalog\/sql)\//.test(target))
          .map((target) => `${path} -> ${target}`),
      ),
      [],
    );
    assert.equal(
      pure.filter(({ text }) => /\bSELECT\b/.test(text)).map(({ path }) => path),
      [],
    );
  });
  check('a package has one importer', () => {
    const many = [...importers()].filter(([, files]) => files.size > 1).map(([name]) => name);
    assert.equal(
      many.filter((name) => SHARED[name] === undefined),
      [],
    );
    assert.equal(
      Object.keys(SHARED).filter((name) => !many.includes(name)),
      [],
      'stale exception',
    );
  });
  check('THIRD-PARTY.md lists every package that the program imports', () => {
    const page = readFileSync(fileURLToPath(new URL('../../THIRD-PARTY.md', import.meta.url)), 'utf8');
    const listed = page.split('\n').flatMap((line) => /^\| ([^|]+) \|/.exec(line)?.[1]?.split(/[,;] /) ?? []);
    assert.equal(
      [...importers().keys()].filter((name) => !listed.includes(name)),
      [],
    );
  });
  check(`no file has more than ${LINES_MAX} lines`, () => {
    assert.equal(
      sources.filter(({ text }) => text.split('\n').length - 1 > LINES_MAX).map(({ path }) => path),
      [],
    );
  });
  check('no file name hides two ideas behind a word for anything', () =>
    assert.equal(
      sources.map(({ path }) => path).filter((path) => BANNED.test(path)),
      [],
    ),
  );
  check('each file says in its first line what it is', () => {
    assert.equal(
      sources.filter(({ text }) => !/^(?:#![^\n]*\n)?\/\/ \S/.test(text)).map(({ path }) => path),
      [],
    );
  });
  check('nothing is left for later, nothing is silenced', () => {
    const marks = new RegExp(['TO' + 'DO', 'FIX' + 'ME', '@ts-' + 'ignore', '@ts-' + 'expect-error'].join('|'));
    assert.equal(
      sources.filter(({ text }) => marks.test(text)).map(({ path }) => path),
      [],
    );
  });
  check('every kind of error has a status, and ARCHITECTURE.md lists them all', () => {
    const page = readFileSync(fileURLToPath(new URL('../../ARCHITECTURE.md', import.meta.url)), 'utf8');
    for (const [kind, { status }] of Object.entries(WIRE)) {
      const row = page
        .split('\n')
        .find((line) => new RegExp(`^\\|[^|]*\\b${kind}\\b[^|]*\\| ${status} \\|`).test(line));
      assert.ok(row, `${kind} ${status}`);
    }
    assert.equal(Object.keys(WIRE).sort(), Object.keys(KINDS).sort());
  });
});
