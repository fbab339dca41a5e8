// Reads the sources: which file imports what. Text only, nothing is run.
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

export interface Source {
  /** Path below the project's root, with `.ts`. */
  readonly path: string;
  readonly text: string;
  /** Files of the project it imports (types too), as paths. */
  readonly files: readonly string[];
  /** Packages it imports, by name. */
  readonly packages: readonly string[];
}

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const FOLDERS = ['build', 'core', 'http', 'workers', 'bench', 'test', 'fixtures'];
const IMPORT = /(?:^|\n)\s*(?:import|export)\s(?:[^'";]*?\sfrom\s)?'([^']+)'|import\('([^']+)'\)/g;

const packageOf = (name: string): string =>
  name
    .split('/')
    .slice(0, name.startsWith('@') ? 2 : 1)
    .join('/');

const sourceOf = (path: string): Source => {
  const text = readFileSync(join(ROOT, path), 'utf8');
  const found = [...text.matchAll(IMPORT)].map(([, plain, lazy]) => plain ?? lazy ?? '');
  const inside = found.filter((name) => name.startsWith('.'));
  return {
    path,
    text,
    files: inside.map((name) =>
      relative(ROOT, join(ROOT, dirname(path), name))
        .replace(/\.js$/, '.ts')
        .replace(/\.cjs$/, '.cts'),
    ),
    packages: found.filter((name) => !name.startsWith('.') && !name.startsWith('node:')).map(packageOf),
  };
};

export const readSources = (): readonly Source[] =>
  FOLDERS.flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
      .filter((file) => /\.c?ts$/.test(file))
      .map((file) => sourceOf(join(folder, file))),
  );
