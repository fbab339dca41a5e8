// What an owner without a compiler of TypeScript gets: the package of `npm pack`, and a checkout after `npm run prune`. Both start and scan.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { fixture } from '../../fixtures/index.js';
import { until } from '../app.js';
import { assert, block, type Check, IS_FULL, PATIENCE } from '../kit.js';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
/** Not part of a copy: what belongs to somebody's server and, in a full run, what is built. */
const LEFT_OUT = IS_FULL
  ? /^(?:dist.*|data|\.git|bench\/out|node_modules)$/
  : /^(?:data|\.git|bench\/out|node_modules)$/;
const LIST = '.package-lock.json';
/** The registry cannot be reached, and npm's cache does not have the packages. */
const UNREACHABLE = /ENOTFOUND|ECONNREFUSED|EAI_AGAIN|ETIMEDOUT|ENETUNREACH|ENOTCACHED|ECONNRESET/;

/** The tests' own deadline cannot end a process that is waited for. */
const NPM_MS = 120_000 * PATIENCE;

let folder = '';
/** A checkout with its packages, and the unpacked package. */
const copy = (): string => join(folder, 'checkout');
const unpacked = (): string => join(folder, 'package');

/** This Node is the one npm and its scripts find; what an npm around these tests has set is not theirs. */
const environment = (): NodeJS.ProcessEnv => ({
  ...Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !/^npm_(?:package|lifecycle|config_local)/.test(name)),
  ),
  PATH: `${dirname(process.execPath)}${delimiter}${process.env.PATH}`,
});

const npm = (
  cwd: string,
  ...args: readonly string[]
): { readonly status: number | null; readonly text: string; readonly out: string } => {
  const { status, stdout, stderr } = spawnSync('npm', args, {
    cwd,
    env: environment(),
    encoding: 'utf8',
    timeout: NPM_MS,
  });
  return { status, out: stdout, text: `${stdout}${stderr}` };
};

const succeeds = (cwd: string, ...args: readonly string[]): string => {
  const { status, text, out } = npm(cwd, ...args);
  assert.is(status, 0, `npm ${args.join(' ')}\n${text}`);
  return out;
};

/** The group of npm, its shell and the program. */
const signal = (child: ChildProcess, name: NodeJS.Signals): void => {
  try {
    if (child.pid !== undefined) process.kill(-child.pid, name);
  } catch {
    // nothing is left
  }
};

/** `npm start -- DIR`, until the scan is complete and a request is answered; then it is stopped. */
const startsAndScans = async (cwd: string): Promise<void> => {
  const data = mkdtempSync(join(folder, 'data-'));
  const args = ['start', '--', join(folder, 'comics'), '--data', data, '--port', '0', '--host', '127.0.0.1'];
  const child = spawn('npm', args, { cwd, env: environment(), detached: true });
  const ended = once(child, 'exit');
  let text = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk) => {
      text += String(chunk);
    });
  try {
    await until(
      'the scan completes',
      () => child.exitCode !== null || text.includes('scan of comics completed: 1 book'),
      60_000,
    );
    const address = /longbox listening on (http:\/\/\S+)/.exec(text)?.[1];
    assert.ok(address !== undefined, text);
    assert.is((await fetch(`${address}/health`)).status, 200);
    signal(child, 'SIGTERM');
    await ended;
    await until('its last line arrives', () => text.includes('stopped'));
  } finally {
    signal(child, 'SIGKILL');
  }
};

/** Packages are linked file by file, since nothing writes into them but npm, into its list of what is installed. */
const linkPackages = (): void => {
  const [from, to] = [join(ROOT, 'node_modules'), join(copy(), 'node_modules')];
  if (spawnSync('cp', ['-al', from, to]).status === 0) {
    rmSync(join(to, LIST));
    cpSync(join(from, LIST), join(to, LIST));
  } else cpSync(from, to, { recursive: true, force: true, verbatimSymlinks: true }); // another disk, or another cp
};

const makeCopy = (): void => {
  const filter = (source: string): boolean => !LEFT_OUT.test(relative(ROOT, source));
  cpSync(ROOT, copy(), { recursive: true, verbatimSymlinks: true, filter });
  linkPackages();
};

const PROGRAM =
  /^dist\/(?:(?:core|http|workers)\/.*\.c?js|http\/client\/[\w-]+\.(?:json|(?:js|css|svg)(?:\.br|\.gz)?))$/;
const PAGES = ['README.md', 'CHANGELOG.md'];
const SCREENS = [
  ...['apps', 'book-phone', 'collection-tablet', 'home', 'home-phone', 'home-tablet'],
  ...['reader-pages', 'reader-phone', 'search', 'series', 'strip-phone', 'wall'],
];
const LINKED = [
  'ARCHITECTURE.md',
  'BEHAVIOUR.md',
  'CONTRIBUTING.md',
  'DECISIONS.md',
  'bench/RESULTS.md',
  'docs/dashboard.png',
  'docs/fail2ban.md',
  'docs/grafana.json',
  'docs/proxies.md',
  ...SCREENS.map((name) => `docs/screens/${name}.webp`),
];
const BESIDE = [...PAGES, ...LINKED, 'LICENSE', 'THIRD-PARTY.md', 'config.schema.json', 'package.json'].sort();

/** The files that a page links, from the root of the package. */
const linkedFrom = (page: string): readonly string[] =>
  [...readFileSync(join(unpacked(), page), 'utf8').matchAll(/\]\((?!\w+:|#)([^)#\s]+)/g)].map(([, to = '']) => to);

/** In a full run npm builds it before, from nothing; otherwise it packs what these tests were built with. */
const packs = (): void => {
  const [report] = JSON.parse(
    succeeds(copy(), 'pack', '--json', '--silent', ...(IS_FULL ? [] : ['--ignore-scripts'])),
  ) as [{ filename: string; files: { path: string }[] }];
  const paths = report.files.map(({ path }) => path);
  assert.ok(paths.includes('dist/http/longbox.cjs') && paths.includes('dist/workers/entry.js'));
  assert.ok(paths.some((path) => /^dist\/http\/client\/main-\w+\.js\.br$/.test(path)));
  assert.equal(paths.filter((path) => !PROGRAM.test(path)).sort(), BESIDE);
  const { status, stderr } = spawnSync('tar', ['xzf', join(copy(), report.filename), '-C', folder], {
    encoding: 'utf8',
  });
  assert.is(status, 0, stderr);
  for (const page of PAGES) {
    assert.ok(linkedFrom(page).length > 0, page);
    for (const to of linkedFrom(page)) assert.ok(existsSync(join(unpacked(), to)), `${page} links ${to}`);
  }
};

const packedStarts = async (check: Check): Promise<void> => {
  if (!IS_FULL) return check.skip('the package starts', 'only a full run installs its packages');
  // The versions of the tests: a package that appears later cannot fail them, and npm's cache has them.
  writeFileSync(join(unpacked(), 'package-lock.json'), readFileSync(join(ROOT, 'package-lock.json')));
  const { status, text } = npm(unpacked(), 'ci', '--omit=dev', '--prefer-offline', '--no-audit', '--no-fund');
  if (status !== 0 && UNREACHABLE.test(text))
    return check.skip('the package starts', 'no registry, and npm has not cached the packages');
  assert.is(status, 0, text);
  assert.not.ok(existsSync(join(unpacked(), 'node_modules', 'typescript')));
  await startsAndScans(unpacked());
};

const prunedStarts = async (): Promise<void> => {
  const pruned = succeeds(copy(), 'run', 'prune');
  assert.match(pruned, /freed \d+ MB/);
  for (const name of ['typescript', '@biomejs/biome', 'uvu'])
    assert.not.ok(existsSync(join(copy(), 'node_modules', name)), name);
  await startsAndScans(copy());
};

block(
  'the packed program',
  (check) => {
    check('npm pack builds a package of the program alone, with every page that its README links', packs);
    check('unpacked, with its production packages, npm start serves and scans', () => packedStarts(check));
    check('a checkout after npm run prune still does', prunedStarts);
  },
  {
    before: () => {
      folder = mkdtempSync(join(tmpdir(), 'longbox-packed-'));
      makeCopy();
      mkdirSync(join(folder, 'comics'));
      writeFileSync(join(folder, 'comics', 'six-pages.cbz'), readFileSync(fixture('books/six-pages.cbz')));
    },
    after: () => rmSync(folder, { recursive: true, force: true }),
    deadlineS: 180,
  },
);
