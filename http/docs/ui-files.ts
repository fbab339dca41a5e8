// The files of the interactive page: which there are is listed once, so that a name in an address can lead nowhere else.
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, extname, join } from 'node:path';

export interface UiFile {
  readonly path: string;
  readonly mediaType: string;
  /** Changes with the package. */
  readonly tag: string;
}

const MEDIA_TYPES: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.png': 'image/png',
};

const PACKAGE = 'swagger-ui-dist';

/** By name. Throws when the package is not installed. */
export const uiFiles = (): ReadonlyMap<string, UiFile> => {
  const described = createRequire(import.meta.url).resolve(`${PACKAGE}/package.json`);
  const tag = createHash('sha256').update(readFileSync(described)).digest('hex').slice(0, 16);
  const folder = dirname(described);
  return new Map(
    readdirSync(folder).flatMap((name) => {
      const mediaType = MEDIA_TYPES[extname(name)];
      return mediaType === undefined ? [] : [[name, { path: join(folder, name), mediaType, tag }] as const];
    }),
  );
};
