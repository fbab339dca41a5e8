// The files of the interactive page: three of a package that has many more. Each is read once, when it is first asked for, and stays in
// memory with its compressed forms.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { Body } from '../server/adapter.js';

export interface UiFile {
  readonly mediaType: string;
  /** Changes with the package. */
  readonly tag: string;
  readonly body: () => Promise<Body>;
}

/** What the page names, and nothing else. */
const MEDIA_TYPES = {
  'swagger-ui-bundle.js': 'text/javascript; charset=utf-8',
  'swagger-ui.css': 'text/css; charset=utf-8',
  'favicon-32x32.png': 'image/png',
} as const;

const PACKAGE = 'swagger-ui-dist';

/** What cannot be read is tried again the next time. */
export const readOnce = (path: string): (() => Promise<Body>) => {
  let body: Body | undefined;
  return async () => {
    body ??= { kind: 'bytes', bytes: await readFile(path), encoded: new Map() };
    return body;
  };
};

/** By name. Throws when the package is not installed. */
export const uiFiles = (): ReadonlyMap<string, UiFile> => {
  const described = createRequire(import.meta.url).resolve(`${PACKAGE}/package.json`);
  const tag = createHash('sha256').update(readFileSync(described)).digest('hex').slice(0, 16);
  return new Map(
    Object.entries(MEDIA_TYPES).map(([name, mediaType]) => {
      return [name, { mediaType, tag, body: readOnce(join(dirname(described), name)) }] as const;
    }),
  );
};
