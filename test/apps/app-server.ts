// The real program with a small library of every format, and apps that ask it: each with the headers of its own, nothing else.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { fixture } from '../../fixtures/index.js';
import { until, writeBook } from '../app.js';
import { programSecrets } from '../secret-watch.js';
import { ask, type Answer as NativeAnswer } from '../system/ask-program.js';
import { type Program, startProgram } from '../system/program.js';
import type { Reader } from './strict.js';

export type Headers = Readonly<Record<string, string>>;

export interface Answer {
  readonly status: number;
  readonly bytes: Buffer;
  header(name: string): string;
  // biome-ignore lint/suspicious/noExplicitAny: a test names the fields it expects, and a missing one fails it
  readonly json: any;
}

export interface Sent {
  readonly headers?: Headers;
  /** As JSON, unless it is a text. */
  readonly body?: unknown;
}

export const PERSON = { username: 'rosa', email: 'rosa@example.com', password: 'Kissed-by-rain-7' };
export const ADMIN = { username: 'admin', email: 'admin@example.com', password: 'Secret123!' };
const CHEAP = { SVC_AUTH__ARGON2_MEMORY_COST: '1024', SVC_AUTH__ARGON2_TIME_COST: '1' };

export const basicOf = (name: string, password: string): string =>
  `Basic ${Buffer.from(`${name}:${password}`).toString('base64')}`;

/** More than a page of any app. */
export const VOLUMES = 24;
export const PAGES = 5;

const comicInfo = (volume: number): Buffer =>
  Buffer.from(
    `<ComicInfo><Title>Part ${volume}</Title><Series>Zot &amp; Friends</Series><Number>${volume}</Number><Summary>It goes on, part ${volume}.</Summary><Writer>Ann Author</Writer><Penciller>Bo Pencil</Penciller><Publisher>House</Publisher><Genre>Adventure, Drama</Genre><Tags>robots</Tags><Year>2024</Year><Month>${1 + (volume % 12)}</Month><Day>2</Day><LanguageISO>en</LanguageISO><AgeRating>Teen</AgeRating></ComicInfo>`,
  );

/** `Zot` of 24 volumes, `Mixed` of one book of each other format. */
const stock = (shelf: string): void => {
  for (let volume = 1; volume <= VOLUMES; volume += 1) {
    const name = `Zot v${String(volume).padStart(2, '0')}.cbz`;
    writeBook(join(shelf, 'Zot', name), PAGES, `zot ${volume}`, [{ name: 'ComicInfo.xml', bytes: comicInfo(volume) }]);
  }
  mkdirSync(join(shelf, 'Mixed'));
  for (const name of [
    'incomplete-theft.epub',
    'comic-fxl-rtl.epub',
    'four-pages.pdf',
    'haruko.cbr',
    'image-formats.cbz',
  ])
    writeFileSync(join(shelf, 'Mixed', name), readFileSync(fixture(`books/${name}`)));
};

/** One request as an app sends it: no header that it does not name but Host and those that frame a body. */
const send = (address: string, method: string, { headers = {}, body }: Sent): Promise<Answer> =>
  new Promise((resolve, reject) => {
    const text = body === undefined || typeof body === 'string' ? body : JSON.stringify(body);
    programSecrets.heard({ path: new URL(address).pathname, headers, body });
    const type = text === undefined || 'Content-Type' in headers ? {} : { 'Content-Type': 'application/json' };
    const framed = text === undefined ? {} : { 'Content-Length': String(Buffer.byteLength(text)) };
    const sent = request(address, { method, headers: { ...headers, ...type, ...framed } }, (reply) => {
      const chunks: Buffer[] = [];
      reply.on('data', (chunk: Buffer) => chunks.push(chunk));
      reply.on('error', reject);
      reply.on('end', () => {
        const sentBytes = Buffer.concat(chunks);
        const header = (name: string): string => [reply.headers[name.toLowerCase()] ?? ''].flat().join('\n');
        const bytes = header('content-encoding') === 'gzip' ? gunzipSync(sentBytes) : sentBytes;
        const isJson = header('content-type').includes('json') && bytes.length > 0;
        resolve({
          status: reply.statusCode ?? 0,
          bytes,
          header,
          json: isJson ? JSON.parse(bytes.toString()) : undefined,
        });
      });
    });
    sent.on('error', reject);
    sent.end(text);
  });

/** An app with its headers, below the address that its user typed. */
export class App {
  readonly #base: string;
  readonly #headers: Headers;

  constructor(base: string, headers: Headers) {
    this.#base = base;
    this.#headers = headers;
  }

  with(headers: Headers): App {
    return new App(this.#base, { ...this.#headers, ...headers });
  }

  /** Of a request for this path, or for an address that an answer contained. */
  place(path: string): { readonly address: string; readonly headers: Headers } {
    return { address: /^https?:/.test(path) ? path : `${this.#base}${path}`, headers: this.#headers };
  }

  send(method: string, path: string, { headers = {}, body }: Sent = {}): Promise<Answer> {
    return send(this.place(path).address, method, { headers: { ...this.#headers, ...headers }, body });
  }

  /** An answer of 200 that a strict reader accepts. */
  // biome-ignore lint/suspicious/noExplicitAny: read by a strict reader first
  async read(path: string, reader: Reader, sent: Sent & { readonly method?: string } = {}): Promise<any> {
    const method = sent.method ?? (sent.body === undefined ? 'GET' : 'POST');
    const answer = await this.send(method, path, sent);
    if (answer.status !== 200)
      throw new Error(`${method} ${path}: ${answer.status} ${answer.bytes.toString().slice(0, 300)}`);
    try {
      reader(answer.json, '');
    } catch (thrown) {
      throw new Error(`${method} ${path}: ${thrown instanceof Error ? thrown.message : String(thrown)}`);
    }
    return answer.json;
  }

  /** An image of 200. */
  async image(path: string, sent: Sent = {}): Promise<Answer> {
    const answer = await this.send('GET', path, sent);
    const type = answer.header('content-type');
    if (answer.status !== 200 || !type.startsWith('image/') || answer.bytes.length === 0)
      throw new Error(`GET ${path}: ${answer.status} ${type} of ${answer.bytes.length} bytes`);
    if (Number(answer.header('content-length')) !== answer.bytes.length)
      throw new Error(`GET ${path}: Content-Length ${answer.header('content-length')} of ${answer.bytes.length} bytes`);
    return answer;
  }

  /** A change that is answered with 204 and no body. */
  async change(method: string, path: string, body?: unknown): Promise<void> {
    const answer = await this.send(method, path, { body });
    if (answer.status !== 204 || answer.bytes.length > 0)
      throw new Error(`${method} ${path}: ${answer.status} ${answer.bytes.toString().slice(0, 300)}`);
  }
}

/** An id of the comic-server API as the native one writes it. */
export const uuidOf = (id: string): string =>
  id.replaceAll('-', '').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');

export interface AppServer {
  readonly program: Program;
  /** An API key of PERSON. */
  readonly key: string;
  /** An app below a path of the server. */
  app(base: string, headers: Headers): App;
  /** The native API as PERSON. */
  native(method: string, path: string, body?: unknown): Promise<NativeAnswer>;
  /** The same as an administrator. */
  admin(method: string, path: string, body?: unknown): Promise<NativeAnswer>;
  /** A new list of an administrator with these members, by their native ids. */
  listWith(path: 'collections' | 'readlists', name: string, members: readonly string[]): Promise<void>;
  stop(): Promise<void>;
}

const MEMBERS = { collections: ['series', 'seriesIds'], readlists: ['books', 'bookIds'] } as const;

export const startAppServer = async (environment: Headers = {}): Promise<AppServer> => {
  const root = mkdtempSync(join(tmpdir(), 'longbox-apps-'));
  const shelf = join(root, 'shelf');
  stock(shelf);
  const program = await startProgram(['--data', join(root, 'data'), shelf], { ...CHEAP, ...environment });
  await ask(program, 'POST', '/setup/initialize', {}, ADMIN);
  const signIn = async ({ username, password }: typeof PERSON): Promise<Headers> => {
    const { json } = await ask(program, 'POST', '/auth/login', {}, { username, password });
    return { authorization: `Bearer ${json.access_token ?? json.accessToken}` };
  };
  const admin = await signIn(ADMIN);
  const made = await ask(program, 'POST', '/users', admin, { ...PERSON, role: 'reader' });
  if (made.status !== 201) throw new Error(`no user was made: ${made.status} ${JSON.stringify(made.json)}`);
  const person = await signIn(PERSON);
  const { json: key } = await ask(program, 'POST', '/api-keys', person, { name: 'app' });
  await until('every book is analysed', async () => {
    const { json } = await ask(program, 'GET', '/books?pageSize=100', person);
    return json.data.length === VOLUMES + 5 && json.data.every(({ analyzed }: { analyzed: boolean }) => analyzed);
  });
  const listWith: AppServer['listWith'] = async (path, name, members) => {
    const [below, field] = MEMBERS[path];
    const list = await ask(program, 'POST', `/${path}`, admin, { name, ordered: true });
    const added = await ask(program, 'POST', `/${path}/${list.json.id}/${below}`, admin, { [field]: members });
    if (added.status >= 300) throw new Error(`${path}: ${added.status} ${JSON.stringify(added.json)}`);
  };
  return {
    program,
    listWith,
    key: key.key,
    app: (base, headers) => new App(`${program.address}${base}`, headers),
    native: (method, path, body) => ask(program, method, path, person, body),
    admin: (method, path, body) => ask(program, method, path, admin, body),
    stop: async () => {
      program.child.kill('SIGTERM');
      await program.ended;
      rmSync(root, { recursive: true, force: true });
    },
  };
};
