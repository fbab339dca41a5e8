// What a run needs from earlier commands: packages as locked, and bundles of the sources as they are. Otherwise tests fail far from the cause.
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';

interface Locked {
  readonly version: string;
  readonly optional?: boolean;
}

const packagesIn = (lock: URL): Readonly<Record<string, Locked>> =>
  existsSync(lock) ? (JSON.parse(readFileSync(lock, 'utf8')) as { packages: Record<string, Locked> }).packages : {};

/** The first package that `npm ci` would install in another version; optional ones depend on the machine. */
export const missingPackage = (wanted: URL, installed: URL): string | undefined => {
  const present = packagesIn(installed);
  return Object.entries(packagesIn(wanted)).find(
    ([path, { version, optional }]) => path !== '' && optional !== true && present[path]?.version !== version,
  )?.[0];
};

const builtMs = (file: string): number =>
  statSync(new URL(file, import.meta.url), { throwIfNoEntry: false })?.mtimeMs ?? 0;

const newestMs = (folder: URL): number =>
  Math.max(
    ...readdirSync(folder, { recursive: true, encoding: 'utf8' }).map(
      (file) => statSync(new URL(file, folder)).mtimeMs,
    ),
  );

/** What to do first, or null. */
export const staleParts = (): string | null => {
  const root = new URL('../../', import.meta.url);
  const missing = missingPackage(new URL('package-lock.json', root), new URL('node_modules/.package-lock.json', root));
  if (missing !== undefined) return `${missing} is not installed as package-lock.json has it: run "npm ci"`;
  // Tests start the program and its threads from bundles, which `tsc` alone leaves as they were.
  if (builtMs('../http/program/main.cjs') < builtMs('../.tsbuildinfo'))
    return 'dist/http/program is older than the files that it is made from: run "npm run build"';
  // Nothing but build/client.ts compiles the sources of the web client.
  if (builtMs('../http/client/files.json') < newestMs(new URL('http/web/', root)))
    return 'dist/http/client is older than the files that it is made from: run "npm run build"';
  return null;
};
