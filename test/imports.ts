// Reads the sources: which file imports what. Text only, nothing is run.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

export interface Source {
  /** Path below the project's root, with its ending. */
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

/** What is imported as JavaScript, as the file that it is compiled from. */
const sourceAt = (path: string): string => {
  const from = path.replace(/\.js$/, '.ts').replace(/\.cjs$/, '.cts');
  return existsSync(join(ROOT, from)) ? from : from.replace(/\.ts$/, '.tsx');
};

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
    files: inside.map((name) => sourceAt(relative(ROOT, join(ROOT, dirname(path), name)))),
    // `#api` is generated.
    packages: found.filter((name) => !/^(?:\.|#|node:)/.test(name)).map(packageOf),
  };
};

export const readSources = (): readonly Source[] =>
  FOLDERS.flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
      .filter((file) => /\.(?:c?ts|tsx)$/.test(file))
      .map((file) => sourceOf(join(folder, file))),
  );
