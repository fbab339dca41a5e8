// The last step of `npm run build`: bundles the program and its threads' code, more than a thousand small files, into a few. A start reads and
// compiles all of them; bundled, it takes less than half the processor time, and far fewer reads from a slow disk. `--watch` rebuilds them.
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type BuildOptions, type BuildResult, build, context, type Plugin } from 'esbuild';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
/** As deep as the files it is made from: what they find by their own address, they find from here too. */
const OUT = join(ROOT, 'dist/http/program');

/** Plain JavaScript. Every other package stays where it is installed: it has a native part, reads files of its own, or starts threads. */
const BUNDLED = new Set([
  '@opentelemetry/api',
  'croner',
  'htmlparser2',
  'image-size',
  'jose',
  'lru-cache',
  'nodemailer',
  'openid-client',
  'pino',
  'prom-client',
  're2js',
  'rou3',
  'typebox',
  'xxhash-wasm',
  'yaml',
]);

const installed = (): readonly string[] => {
  const { dependencies, optionalDependencies } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as Record<
    'dependencies' | 'optionalDependencies',
    Readonly<Record<string, string>>
  >;
  return Object.keys({ ...dependencies, ...optionalDependencies }).filter((name) => !BUNDLED.has(name));
};

/** Chunks are named by a hash of their contents, so those of an earlier build would stay. */
const removeOld = (result: BuildResult): void => {
  const made = new Set(Object.keys(result.metafile?.outputs ?? {}).map((path) => path.split('/').at(-1)));
  if (made.size === 0) return; // it failed: the last good one stays
  for (const name of readdirSync(OUT)) if (!made.has(name) && !name.startsWith('main.cjs')) rmSync(join(OUT, name));
};

const cleaning: Plugin = { name: 'remove old chunks', setup: ({ onEnd }) => onEnd(removeOld) };

/**
 * The builder leaves other characters in regular expressions. Node reads an ASCII text without decoding it, and holds it in half the memory.
 * Tagged templates would see the escapes as they are written: none of ours has such characters.
 */
const inAscii: Plugin = {
  name: 'escape what is not ASCII',
  setup: ({ onEnd }) =>
    onEnd(({ errors }) => {
      if (errors.length > 0) return;
      const file = join(OUT, 'main.cjs');
      const escaped = (char: string): string =>
        Array.from(char.split(''), (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`).join('');
      const text = readFileSync(file, 'utf8').replace(/(?<!\\)[^\0-\x7f]/gu, escaped);
      const [left] = /.{0,40}[^\0-\x7f]/u.exec(text) ?? [];
      if (left !== undefined) throw new Error(`Write the last character without a backslash, or as an escape: ${left}`);
      writeFileSync(file, text);
    }),
};

const { keep } = createRequire(import.meta.url)('../http/kept-code.cjs') as { keep(file: string): void };

const keeping: Plugin = {
  name: 'keep the bytecode',
  setup: ({ onEnd }) =>
    onEnd(({ errors }) => {
      if (errors.length === 0) keep(join(OUT, 'main.cjs'));
    }),
};

const common: BuildOptions = {
  absWorkingDir: ROOT,
  outdir: OUT,
  bundle: true,
  platform: 'node',
  target: 'node20',
  external: [...installed()],
  sourcemap: true,
  metafile: true,
  logLevel: 'warning',
};

/** CommonJS: Node 20 accepts bytecode for nothing else. */
const program: BuildOptions = {
  ...common,
  entryPoints: { main: 'dist/http/cli/main.js' },
  outExtension: { '.js': '.cjs' },
  format: 'cjs',
  define: { 'import.meta.url': 'ownAddress' },
  banner: { js: "const ownAddress = require('node:url').pathToFileURL(__filename).href;" },
  plugins: [inAscii, keeping],
};

const threads: BuildOptions = {
  ...common,
  entryPoints: { entry: 'dist/workers/entry.js' },
  splitting: true,
  format: 'esm',
  // CommonJS packages ask for Node's modules with `require`, which an ES module does not have.
  banner: { js: "import { createRequire as requireFrom } from 'node:module';\nconst require = requireFrom(import.meta.url);" },
  plugins: [cleaning],
};

/** What tests start over and over as processes of their own. */
const started: BuildOptions = {
  ...threads,
  entryPoints: { app: 'dist/test/app.js', 'scan-as-nobody': 'dist/test/scan/scan-as-nobody.js' },
  outdir: join(ROOT, 'dist/test/started'),
  external: [...installed(), join(ROOT, 'dist/fixtures/index.js')],
  splitting: false,
  plugins: [],
};

// The program comes last: tests that find it up to date know that the others are, too.
for (const options of [started, threads, program]) {
  if (process.argv.includes('--watch')) await (await context(options)).watch();
  else await build(options);
}
