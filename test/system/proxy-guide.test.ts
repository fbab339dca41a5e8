// The configurations in docs/proxies.md for proxies that are on this machine, each run by its proxy: only addresses and files are replaced.
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { writeBook } from '../app.js';
import { assert, block } from '../kit.js';
import { selfSigned } from './certificate.js';
import { freePort, NGINX, nginxConfig, startProxy } from './nginx.js';
import { startProgram } from './program.js';

const GUIDE = readFileSync(join(fileURLToPath(new URL('../../..', import.meta.url)), 'docs', 'proxies.md'), 'utf8');
const CADDY = ['caddy', '/usr/bin/caddy'].find((path) => spawnSync(path, ['version']).status === 0);
const REQUIRED = (process.env.LONGBOX_TEST_REQUIRE ?? '').split(',');
const CREDENTIALS = { username: 'admin', password: 'Secret123!' };

const snippets = (language: string): readonly string[] =>
  [...GUIDE.matchAll(new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``, 'g'))].map(([, text = '']) => text);

interface Place {
  readonly folder: string;
  readonly port: number;
  /** Where the program listens. */
  readonly upstream: string;
}

/** A snippet for this machine; each replacement has to find its place. */
const replaced = (text: string, replacements: readonly (readonly [string, string])[]): string =>
  replacements.reduce((before, [from, to]) => {
    assert.ok(before.includes(from), `the guide has ${from}`);
    return before.replace(from, to);
  }, text);

const nginxServer = ({ folder, port, upstream }: Place): string =>
  replaced(snippets('nginx')[0] ?? '', [
    ['listen 443 ssl', `listen 127.0.0.1:${port} ssl`],
    ['/etc/ssl/comics.example.pem', `${folder}/certificate.pem`],
    ['/etc/ssl/comics.example.key', `${folder}/key.pem`],
    ['127.0.0.1:8080', upstream],
  ]);

/** The location with a path in place of the one without. */
const nginxUnderPath = (place: Place): string => {
  const location = replaced(snippets('nginx')[1] ?? '', [['127.0.0.1:8080', place.upstream]]);
  return nginxServer(place).replace(/location \/ \{[^}]*\}/, location);
};

const caddyfile = (text: string, { folder, port, upstream }: Place): string => `{
  admin off
}
${replaced(text, [
  ['comics.example {', `https://127.0.0.1:${port} {\n  tls ${folder}/certificate.pem ${folder}/key.pem`],
  ['127.0.0.1:8080', upstream],
])}`;

const startIn = async (kind: 'nginx' | 'caddy', config: string, { folder }: Place, answers: () => Promise<boolean>) => {
  const file = join(folder, 'proxy.conf');
  writeFileSync(file, kind === 'nginx' ? nginxConfig(folder, config) : config);
  if (kind === 'nginx') return startProxy(NGINX ?? 'nginx', ['-p', folder, '-c', file], answers);
  const own = { HOME: folder, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder };
  return startProxy(CADDY ?? 'caddy', ['run', '--adapter', 'caddyfile', '--config', file], answers, own);
};

interface Answer {
  readonly status: number;
  readonly text: string;
}

const askOver =
  (ca: string) =>
  (address: string, method = 'GET', body = ''): Promise<Answer> =>
    new Promise((resolve, reject) => {
      const auth = `${CREDENTIALS.username}:${CREDENTIALS.password}`;
      const typed = body === '' ? {} : { 'content-type': 'application/json' };
      const asking = request(address, { method, ca, auth, headers: typed }, (message) => {
        let text = '';
        message.on('data', (piece) => {
          text += String(piece);
        });
        message.on('end', () => resolve({ status: message.statusCode ?? 0, text }));
      });
      asking.on('error', reject);
      asking.end(body);
    });

const tried = async (kind: 'nginx' | 'caddy', path: string, configOf: (place: Place) => string): Promise<void> => {
  const folder = mkdtempSync(join(tmpdir(), 'longbox-guide-'));
  const shelf = join(folder, 'comics');
  mkdirSync(shelf);
  writeBook(join(shelf, 'One', 'one.cbz'), 2, 'x');
  const port = await freePort();
  const base = `https://127.0.0.1:${port}${path}`;
  const program = await startProgram([shelf, '--data', join(folder, 'data')], {
    SVC_HTTP__TRUSTED_PROXIES: '127.0.0.1',
    ...(path === '' ? {} : { SVC_APPLICATION__BASE_URL: base }),
  });
  const { certificate, key } = selfSigned();
  writeFileSync(join(folder, 'certificate.pem'), certificate);
  writeFileSync(join(folder, 'key.pem'), key);
  const ask = askOver(certificate);
  const place = { folder, port, upstream: new URL(program.address).host };
  let stop = async (): Promise<void> => undefined;
  try {
    stop = await startIn(kind, configOf(place), place, async () => {
      const answer = await ask(`${base}/health`).catch(() => null);
      return answer?.status === 200;
    });
    const account = JSON.stringify({ ...CREDENTIALS, email: 'admin@example.com' });
    const made = await ask(`${base}/api/v1/setup/initialize`, 'POST', account);
    assert.is(made.status, 200, made.text);
    const feed = await ask(`${base}/opds/v1.2/catalog`);
    assert.is(feed.status, 200);
    const links = [...feed.text.matchAll(/href="([^"]+)"/g)].map(([, href = '']) => href);
    assert.ok(links.length > 3);
    for (const href of links) assert.ok(href.startsWith(`${base}/`), href);
    assert.not.match(program.printed(), /not a trusted proxy/);
  } finally {
    await stop();
    program.child.kill('SIGTERM');
    await program.ended;
    rmSync(folder, { recursive: true, force: true });
  }
};

block('the guide for proxies', (check) => {
  const withProxy = (kind: 'nginx' | 'caddy', fact: string, body: () => Promise<void>): void => {
    if ((kind === 'nginx' ? NGINX : CADDY) === undefined && !REQUIRED.includes(kind))
      check.skip(fact, `it needs ${kind}`);
    else check(fact, body);
  };
  withProxy('nginx', 'nginx, at the root', () => tried('nginx', '', nginxServer));
  withProxy('nginx', 'nginx, under a path', () => tried('nginx', '/box', nginxUnderPath));
  withProxy('caddy', 'Caddy, at the root', () =>
    tried('caddy', '', (place) => caddyfile(snippets('caddy')[0] ?? '', place)),
  );
  withProxy('caddy', 'Caddy, under a path', () =>
    tried('caddy', '/box', (place) => caddyfile(snippets('caddy')[1] ?? '', place)),
  );
});
