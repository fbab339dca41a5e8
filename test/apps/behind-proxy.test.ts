// Apps behind a proxy that ends TLS and strips a path: every address that an answer contains is the one under which the app knows the server.
import { rmSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { assert, block, type Check } from '../kit.js';
import { feedIn, parsedXml } from '../opds/xml.js';
import { checkWithNginx, freePort, startNginx } from '../system/nginx.js';
import { type Answer, App, type AppServer, basicOf, PAGES, PERSON, startAppServer } from './app-server.js';

const OUTSIDE = 'https://comics.example/box';

let server: AppServer | undefined;
let app: App;
let folder = '';
let stopProxy = async (): Promise<void> => undefined;

/** The request that reaches the proxy when an app follows an address. */
const inside = (address: string): string => {
  assert.ok(address.startsWith(`${OUTSIDE}/`), `${address} is not below ${OUTSIDE}`);
  return address.slice(OUTSIDE.length);
};

const follow = async (address: string): Promise<Answer> => {
  const answer = await app.send('GET', inside(address));
  assert.is(answer.status, 200, address);
  return answer;
};

/** Every address in a document, wherever it is. */
const addressesIn = (value: unknown): readonly string[] => {
  if (Array.isArray(value)) return value.flatMap(addressesIn);
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) =>
    (key === 'href' || key === '@href' || key === '@template') && typeof inner === 'string'
      ? [inner]
      : addressesIn(inner),
  );
};

const allInside = (value: unknown): void => {
  const addresses = addressesIn(value);
  assert.ok(addresses.length > 0, 'it has addresses');
  for (const address of addresses) inside(address);
};

/** Starts both; nginx asks the program over HTTP, whatever the app said. */
const start = async (): Promise<void> => {
  folder = await mkdtemp(join(tmpdir(), 'longbox-apps-proxy-'));
  server = await startAppServer({ SVC_HTTP__TRUSTED_PROXIES: '127.0.0.1' });
  const port = await freePort();
  const proxy = `http://127.0.0.1:${port}`;
  const forwarded = `proxy_set_header X-Forwarded-Proto https; proxy_set_header X-Forwarded-Host comics.example;
    proxy_set_header X-Forwarded-Prefix /box;`;
  stopProxy = await startNginx({
    folder,
    upstream: new URL(server.program.address).host,
    server: (lines) => `listen 127.0.0.1:${port}; location /box/ { proxy_pass http://longbox/; ${lines} ${forwarded} }`,
    answers: async () => (await fetch(`${proxy}/box/health`).catch(() => null))?.status === 200,
  });
  const authorization = basicOf(PERSON.username, PERSON.password);
  app = new App(`${proxy}/box`, { Authorization: authorization });
  assert.is((await new App(`${proxy}/box`, {}).send('GET', '/opds/v2')).status, 401);
};

const idOf = async (name: string): Promise<string> => {
  const { json } = (await server?.native('GET', '/books?pageSize=100')) ?? { json: { data: [] } };
  return json.data.find(({ path }: { path: string }) => path.includes(name)).id;
};

const atom = async (): Promise<void> => {
  const root = feedIn((await follow(`${OUTSIDE}/opds/v1.2/catalog`)).bytes.toString());
  const description = root.links.find(({ type }) => type === 'application/opensearchdescription+xml');
  allInside(parsedXml((await follow(description?.href ?? '')).bytes.toString()));
  const id = await idOf('Zot v01');
  const { json } = (await server?.native('GET', `/books/${id}`)) ?? {};
  const text = (await follow(`${OUTSIDE}/opds/v1.2/series/${json.seriesId}`)).bytes.toString();
  allInside(parsedXml(text));
  const [entry] = feedIn(text).entries;
  const file = await follow(entry?.link('http://opds-spec.org/acquisition').href ?? '');
  assert.is(file.bytes.subarray(0, 2).toString(), 'PK');
  await follow(entry?.link('http://opds-spec.org/image/thumbnail').href ?? '');
  const stream = entry?.link('http://vaemendis.net/opds-pse/stream').href ?? '';
  for (const page of [0, PAGES - 1])
    await follow(stream.replace('{pageNumber}', String(page)).replace('{maxWidth}', '600'));
};

const json = async (): Promise<void> => {
  allInside((await follow(`${OUTSIDE}/opds/v2`)).json);
  const { publications } = (await follow(`${OUTSIDE}/opds/v2/recent`)).json;
  allInside(publications);
  const comic = publications.find(({ links }: { links: readonly { href: string }[] }) =>
    links.some(({ href }) => href.endsWith('.cbz')),
  );
  const manifest = comic.links.find(({ type }: { type: string }) => type === 'application/divina+json');
  const document = (await follow(manifest.href)).json;
  allInside(document);
  assert.match((await follow(document.readingOrder[0].href)).header('content-type'), /^image\//);
};

const refusal = async (): Promise<void> => {
  const refused = await app.with({ Authorization: basicOf(PERSON.username, 'wrong') }).send('GET', '/opds/v2');
  assert.is(refused.status, 401);
  const [, address = ''] = /<([^>]+)>/.exec(refused.header('link')) ?? [];
  assert.match((await follow(address)).header('content-type'), /^application\/opds-authentication\+json/);
};

const comics = async (): Promise<void> => {
  const epub = (await idOf('incomplete-theft')).replaceAll('-', '');
  const { readingOrder } = (await follow(`${OUTSIDE}/komga/api/v1/books/${epub}/manifest`)).json;
  for (const { href } of readingOrder)
    assert.ok(href.startsWith(`${OUTSIDE}/komga/api/v1/books/${epub}/resource/`), href);
  await follow(readingOrder[0].href);
  const pages = (await follow(`${OUTSIDE}/komga/api/v1/books/${await idOf('Zot v01')}/manifest`)).json.readingOrder;
  await follow(pages[0].href);
};

block(
  'apps behind a proxy',
  (check: Check) => {
    checkWithNginx(check, 'it starts, and refuses who is nobody', start);
    checkWithNginx(check, 'OPDS 1.2: feeds, the search, files, covers and pages', atom);
    checkWithNginx(check, 'OPDS 2.0: feeds, publications and manifests', json);
    checkWithNginx(check, 'the authentication document of a refusal', refusal);
    checkWithNginx(check, 'the comic-server API: manifests and their parts', comics);
  },
  {
    after: async () => {
      await stopProxy();
      await server?.stop();
      if (folder !== '') rmSync(folder, { recursive: true, force: true });
    },
    deadlineS: 120,
  },
);
