// A data folder, its shelf and what its owner was promised: everything that was acknowledged is kept here too, outside of the program, and
// compared with what the program says after each failure.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { checkDatabase } from '../../core/upkeep/backup.js';
import { writeBook } from '../app.js';
import { isForm } from '../form.js';
import { PATIENCE } from '../kit.js';
import { kill, type Program, startProgram } from '../system/program.js';

export const CHEAP = { SVC_AUTH__ARGON2_MEMORY_COST: '1024', SVC_AUTH__ARGON2_TIME_COST: '1' };
export const OWNER = { username: 'owner', email: 'owner@example.com', password: 'Long Password 12!' };
const ANSWER_MS = 20_000 * PATIENCE;
export const [SERIES, BOOKS, PAGES] = [4, 24, 40] as const;

/** What may be found: the value acknowledged last, or one whose answer never came. */
interface Promised {
  acknowledged: string | undefined;
  open: Set<string>;
}

export interface Answered {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: the drills name the fields they expect, and a missing one fails them
  readonly json: any;
}

export interface House {
  readonly folder: string;
  readonly shelf: string;
  readonly data: string;
  program(): Program;
  /** Starts the program and signs in. */
  open(environment?: Readonly<Record<string, string>>): Promise<void>;
  ask(method: string, path: string, body?: unknown): Promise<Answered>;
  /** As its owner, below /api/v1; for what is read piece by piece. */
  fetch(path: string, signal: AbortSignal, headers?: Readonly<Record<string, string>>): Promise<Response>;
  /** Reads an answer that is broken off after so long. */
  breakOff(path: string, afterMs: number): Promise<void>;
  books(): readonly string[];
  series(): readonly string[];
  /** Runs one write and notes what it promises; false when it was cut off, or refused. */
  write(name: string, value: string): Promise<boolean>;
  /** What was promised and is not there; each sentence names one. */
  lost(): Promise<readonly string[]>;
  faults(): Promise<readonly string[]>;
  /** Kills the program if it runs. */
  end(): Promise<void>;
  remove(): void;
}

interface Kind {
  /** What is sent. */
  put(id: string, value: string): readonly [method: string, path: string, body: unknown];
  path(id: string): string;
  read(answer: Answered, id: string): unknown;
}

/** Books and series are listed under `data`, collections under `items`. */
const listed = ({ json }: Answered): readonly { readonly id: string; readonly name?: string }[] =>
  json?.data ?? json?.items ?? [];

export const KINDS: Readonly<Record<string, Kind>> = {
  progress: {
    put: (id, value) => ['PUT', `/books/${id}/progress`, { currentPage: Number(value) }],
    path: (id) => `/books/${id}/progress`,
    read: ({ json }) => json?.currentPage,
  },
  preference: {
    put: (id, value) => ['PUT', `/user/preferences/drill.${id}`, { value }],
    path: (id) => `/user/preferences/drill.${id}`,
    read: ({ json }) => json?.value,
  },
  summary: {
    put: (id, value) => ['PATCH', `/series/${id}/metadata`, { summary: value }],
    path: (id) => `/series/${id}`,
    read: ({ json }) => json?.metadata?.summary ?? json?.summary,
  },
  list: {
    put: (_id, value) => ['POST', '/collections', { name: value }],
    path: () => '/collections?pageSize=500',
    read: (answer, id) => listed(answer).find(({ name }) => name === id)?.name,
  },
};

const headersOf = (token: string, body: unknown): Record<string, string> => ({
  authorization: `Bearer ${token}`,
  ...(body === undefined ? {} : isForm(body) ? body.headers : { 'content-type': 'application/json' }),
});

/** Status 0 when the connection ended without an answer. */
const asked = async (
  address: string,
  token: string,
  method: string,
  path: string,
  body: unknown,
): Promise<Answered> => {
  try {
    const answer = await fetch(`${address}/api/v1${path}`, {
      method,
      headers: headersOf(token, body),
      signal: AbortSignal.timeout(ANSWER_MS),
      ...(body === undefined ? {} : { body: isForm(body) ? body.body : JSON.stringify(body) }),
    });
    const text = await answer.text();
    const isJson = answer.headers.get('content-type')?.includes('json') === true;
    return { status: answer.status, json: isJson ? JSON.parse(text) : undefined };
  } catch {
    return { status: 0, json: undefined };
  }
};

export const openHouse = async (environment: Readonly<Record<string, string>> = {}, data?: string): Promise<House> => {
  const folder = mkdtempSync(join(tmpdir(), 'longbox-drill-'));
  const shelf = join(folder, 'shelf');
  for (let n = 0; n < BOOKS; n += 1) writeBook(join(shelf, `Series ${n % SERIES}`, `Book ${n}.cbz`), PAGES, `${n}`);
  const promised = new Map<string, Promised>();
  let [program, token] = [undefined as Program | undefined, ''];
  let books: string[] = [];
  let series: string[] = [];
  const running = (): Program => {
    if (program === undefined) throw new Error('the program was not started');
    return program;
  };
  const ask: House['ask'] = (method, path, body) => asked(running().address, token, method, path, body);
  const place = data ?? join(folder, 'data');
  const signIn = async (): Promise<void> => {
    const { json } = await ask('GET', '/setup/status');
    const path = json?.setupRequired === true ? '/setup/initialize' : '/auth/login';
    const answer = await ask('POST', path, OWNER);
    token = answer.json?.access_token ?? '';
    if (token === '') throw new Error(`nobody can sign in: ${answer.status} ${JSON.stringify(answer.json)}`);
  };
  const fetched: House['fetch'] = (path, signal, headers = {}) =>
    fetch(`${running().address}/api/v1${path}`, { headers: { ...headersOf(token, undefined), ...headers }, signal });
  const idsOf = async (path: string): Promise<string[]> =>
    listed(await ask('GET', `${path}?pageSize=500`)).map(({ id }) => id);
  return {
    folder,
    shelf,
    data: place,
    program: running,
    open: async (more = {}) => {
      program = await startProgram([shelf, '--data', place], { ...CHEAP, ...environment, ...more });
      await signIn();
      for (let tries = 0; books.length < BOOKS && tries < 600; tries += 1) {
        const found = (await ask('GET', '/books?pageSize=500')).json?.data ?? [];
        if (found.length >= BOOKS && found.every(({ pageCount }: { pageCount: number }) => pageCount > 0))
          books = found.map(({ id }: { id: string }) => id);
        else await new Promise((resolve) => setTimeout(resolve, 50));
      }
      if (series.length === 0) series = await idsOf('/series');
    },
    ask,
    fetch: fetched,
    breakOff: (path, afterMs) =>
      fetched(path, AbortSignal.timeout(afterMs))
        .then((answer) => answer.arrayBuffer())
        .then(
          () => undefined,
          () => undefined,
        ),
    books: () => books,
    series: () => series,
    write: async (name, value) => {
      const [kind = '', id = ''] = name.split(' ');
      const known = promised.get(name) ?? { acknowledged: undefined, open: new Set<string>() };
      promised.set(name, known);
      known.open.add(value);
      const { status } = await ask(...(KINDS[kind] as Kind).put(id, value));
      if (status >= 400 && status < 500) throw new Error(`${name} was refused: ${status}`);
      if (status < 200 || status >= 300) return false;
      known.acknowledged = value;
      known.open = new Set();
      return true;
    },
    lost: async () => {
      const lost: string[] = [];
      for (const [name, { acknowledged, open }] of promised) {
        const [kind = '', id = ''] = name.split(' ');
        const { path, read } = KINDS[kind] as Kind;
        const found = String(read(await ask('GET', path(id)), id));
        const isThere = found === acknowledged || open.has(found);
        if (acknowledged !== undefined && !isThere)
          lost.push(`${name}: ${acknowledged} was acknowledged, and ${found} is there`);
      }
      // Lists were compared once: they must not become too many.
      for (const id of await idsOf('/collections')) await ask('DELETE', `/collections/${id}`);
      for (const name of [...promised.keys()]) if (name.startsWith('list ')) promised.delete(name);
      const there = (await idsOf('/books')).filter((id) => books.includes(id)).length;
      if (there < books.length) lost.push(`${books.length - there} of ${books.length} books`);
      return lost;
    },
    faults: async () => (await checkDatabase(join(place, 'longbox.db'), false)).faults,
    end: async () => {
      if (program !== undefined && program.child.exitCode === null && program.child.signalCode === null)
        await kill(program);
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
};
