// Builds the web client into dist/http/client: its modules and style under names with a hash of what is in them, each with two compressed
// forms beside it, and a list of them for the surface that serves them. `--watch` keeps it current, and pages that show it reload.
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { type BuildOptions, type BuildResult, build, context, type Metafile, type Plugin } from 'esbuild';

import { SCREEN_MODULES } from './screens.js';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const FROM = join(ROOT, 'http/web/client');
const OUT = join(ROOT, 'dist/http/client');
const LIST = 'files.json';
const [ASKED, ON_DEMAND] = ['asked', 'on demand'];

const compressed = (bytes: Buffer): readonly (readonly [ending: string, bytes: Buffer])[] => [
  ['.br', brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } })],
  ['.gz', gzipSync(bytes, { level: 9 })],
];

const outputOf = ({ outputs }: Metafile, entry: string): string => {
  const found = Object.entries(outputs).find(([, { entryPoint }]) => entryPoint?.endsWith(`/${entry}`));
  if (found === undefined) throw new Error(`the build of the client has no ${entry}`);
  return found[0];
};

/** What a module imports at once, and what that does. */
const neededBy = ({ outputs }: Metafile, path: string, seen = new Set<string>()): ReadonlySet<string> => {
  for (const { path: next, kind } of outputs[path]?.imports ?? []) {
    if (kind !== 'import-statement' || seen.has(next)) continue;
    seen.add(next);
    neededBy({ inputs: {}, outputs }, next, seen);
  }
  return seen;
};

/** The chunk that all other modules import. The output of the start does nothing but import it, and would be one request more. */
const startOf = (metafile: Metafile): string => {
  const { imports = [], inputs = {} } = metafile.outputs[outputOf(metafile, 'main.tsx')] ?? {};
  const [chunk, ...more] = imports.filter(({ kind }) => kind === 'import-statement');
  if (chunk === undefined || more.length > 0 || Object.keys(inputs).length > 0)
    throw new Error('the start of the client is not one chunk');
  return chunk.path;
};

const iconFile = (): { readonly name: string; readonly bytes: Buffer } => {
  const bytes = readFileSync(join(FROM, 'icon.svg'));
  return { name: `icon-${createHash('sha256').update(bytes).digest('hex').slice(0, 8)}.svg`, bytes };
};

/** Files of an earlier build are left where they are until all new ones are there. */
const writeAll = ({ metafile, outputFiles }: BuildResult): void => {
  if (metafile === undefined || outputFiles === undefined || outputFiles.length === 0) return; // it failed: the last good one stays
  const icon = iconFile();
  const made = [...outputFiles.map(({ path, contents }) => ({ name: basename(path), bytes: Buffer.from(contents) })), icon];
  mkdirSync(OUT, { recursive: true });
  for (const { name, bytes } of made)
    for (const [ending, form] of [['', bytes] as const, ...compressed(bytes)]) writeFileSync(join(OUT, name + ending), form);
  const script = startOf(metafile);
  const needed = neededBy(metafile, script);
  /** What a screen needs beyond the first one. */
  const ofScreen = (module: string): readonly string[] => {
    const path = outputOf(metafile, module);
    const more = [path, ...neededBy(metafile, path)].filter((one) => one !== script && !needed.has(one));
    return more.map((one) => basename(one));
  };
  const list = {
    script: basename(script),
    needed: [...needed].map((path) => basename(path)),
    screens: Object.fromEntries(Object.entries(SCREEN_MODULES).map(([name, module]) => [name, ofScreen(module)])),
    style: basename(outputOf(metafile, 'main.css')),
    icon: icon.name,
    all: made.map(({ name }) => name),
  };
  writeFileSync(join(OUT, LIST), `${JSON.stringify(list, null, 2)}\n`);
  const kept = new Set([LIST, ...list.all.flatMap((name) => [name, `${name}.br`, `${name}.gz`])]);
  for (const name of readdirSync(OUT)) if (!kept.has(name)) rmSync(join(OUT, name), { recursive: true });
};

const START = join(FROM, 'main.tsx');

/**
 * All that the first screen needs becomes one chunk. esbuild makes a chunk for each set of entry points that share a module, so every
 * module that is loaded on demand imports the whole first screen, which is loaded by then. Without that there were 18 chunks, and on a slow
 * processor, a browser takes longer to request a file than to run it.
 */
const fewChunks: Plugin = {
  name: 'few chunks',
  setup: ({ onResolve, onLoad, resolve }) => {
    onResolve({ filter: /^\./ }, async ({ path, kind, importer, resolveDir, pluginData }) => {
      if (kind !== 'dynamic-import' || pluginData === ASKED) return undefined;
      const found = await resolve(path, { kind, importer, resolveDir, pluginData: ASKED });
      return { ...found, pluginData: ON_DEMAND };
    });
    onLoad({ filter: /\.tsx?$/ }, ({ path, pluginData }) => {
      if (pluginData !== ON_DEMAND) return undefined;
      const contents = `${readFileSync(path, 'utf8')}\nimport ${JSON.stringify(START)};\n`;
      return { contents, loader: path.endsWith('x') ? 'tsx' : 'ts' };
    });
  },
};

const writing: Plugin = { name: 'write the client', setup: ({ onEnd }) => onEnd(writeAll) };

const options: BuildOptions = {
  absWorkingDir: ROOT,
  entryPoints: [START, join(FROM, 'style/main.css')],
  tsconfig: join(FROM, 'tsconfig.json'),
  outdir: OUT,
  entryNames: '[name]-[hash]',
  chunkNames: '[name]-[hash]',
  bundle: true,
  splitting: true,
  format: 'esm',
  target: ['chrome111', 'firefox113', 'safari16.4'],
  minify: true,
  legalComments: 'none',
  metafile: true,
  write: false,
  logLevel: 'warning',
  plugins: [fewChunks, writing],
};

const RELOADS = { inject: [join(FROM, 'dev-reload.ts')] } satisfies BuildOptions;

if (process.argv.includes('--watch')) await (await context({ ...options, ...RELOADS })).watch();
else await build(options);
