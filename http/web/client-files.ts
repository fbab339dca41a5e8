// The files of the client as build/client.ts left them: names with a hash of what is in them, and two compressed forms beside each. Each is
// read once, when it is first asked for.

import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { AppError } from '../../core/model/errors.js';
import type { Body } from '../server/adapter.js';

/** What the build wrote down. */
export interface Built {
  /** The module that starts the client. */
  readonly script: string;
  /** Modules that it needs at once, so that a browser need not find out one by one. */
  readonly needed: readonly string[];
  /** By screen, the further modules that it needs. */
  readonly screens: Readonly<Record<string, readonly string[]>>;
  readonly style: string;
  readonly icon: string;
  readonly all: readonly string[];
}

export interface ClientFile {
  readonly mediaType: string;
  readonly body: () => Promise<Body>;
}

export interface Client {
  readonly built: Built;
  readonly files: ReadonlyMap<string, ClientFile>;
}

const MEDIA_TYPES: Readonly<Record<string, string>> = {
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
};

/** Found from http/web and from the joined program alike. */
const LIST = '../client/files.json';
const require = createRequire(import.meta.url);

/** What cannot be read is tried again the next time. */
const reading = (path: string): (() => Promise<Body>) => {
  let body: Body | undefined;
  return async () => {
    if (body !== undefined) return body;
    const [bytes, br, gzip] = await Promise.all(['', '.br', '.gz'].map((ending) => readFile(path + ending)));
    if (bytes === undefined || br === undefined || gzip === undefined) throw new AppError('Internal');
    body = {
      kind: 'bytes',
      bytes,
      encoded: new Map([
        ['br', br],
        ['gzip', gzip],
      ]),
    };
    return body;
  };
};

/** Throws when the client was not built. */
export const builtClient = (): Client => {
  const folder = dirname(require.resolve(LIST));
  const built = require(LIST) as Built;
  const fileOf = (name: string): [string, ClientFile] => [
    name,
    {
      mediaType: MEDIA_TYPES[name.split('.').at(-1) ?? ''] ?? 'application/octet-stream',
      body: reading(join(folder, name)),
    },
  ];
  return { built, files: new Map(built.all.map(fileOf)) };
};
