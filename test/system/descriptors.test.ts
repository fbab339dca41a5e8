// A process without a free descriptor: what needs a new thread is refused for the moment, nothing ends, and it works again afterwards.
import { execFileSync, spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fixture } from '../../fixtures/index.js';
import { until } from '../app.js';
import { assert, block, IS_FULL } from '../kit.js';
import { backEndNames } from './back-end.js';
import { type Program, startProgram } from './program.js';

const canLimit = spawnSync('prlimit', ['--version']).status === 0;

/** Of several formats; their covers take a moment. */
const BOOKS = ['six-pages.cbz', 'captain-science-cix.cbr', 'comic-fxl-rtl.epub', 'comic-image-only.pdf', 'haruko.cbr'];

/** Of a running process; what is open stays open. */
const limitDescriptors = ({ child }: Program, count: number): void => {
  execFileSync('prlimit', [`--pid=${child.pid}`, `--nofile=${count}:`]);
};

interface Got {
  readonly status: number;
  readonly retryAfter: string | undefined;
  readonly body: Buffer;
}

/** Asks over one connection that stays open. */
const asking = (program: Program) => {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  let token = '';
  const ask = (method: string, path: string, body?: unknown): Promise<Got> =>
    new Promise((resolve, reject) => {
      const headers = { 'content-type': 'application/json', authorization: `Bearer ${token}` };
      const sent = request(`${program.address}/api/v1${path}`, { agent, method, headers }, (response) => {
        const parts: Buffer[] = [];
        response.on('data', (part: Buffer) => parts.push(part));
        response.on('end', () =>
          resolve({
            status: response.statusCode ?? 0,
            retryAfter: response.headers['retry-after'],
            body: Buffer.concat(parts),
          }),
        );
      });
      sent.on('error', reject);
      sent.end(body === undefined ? undefined : JSON.stringify(body));
    });
  return {
    get: (path: string) => ask('GET', path),
    initialize: async () => {
      const user = { username: 'admin', email: 'admin@example.com', password: 'Secret123!' };
      token = JSON.parse((await ask('POST', '/setup/initialize', user)).body.toString()).access_token;
    },
    close: () => agent.destroy(),
  };
};

block(
  'no descriptor is free',
  (check) => {
    if (!canLimit) {
      check.skip('a thread that cannot be started is a 503', 'there is no prlimit here');
      return;
    }
    for (const [at, backend] of backEndNames(check).entries()) {
      const fact = `${backend}: a thread that cannot be started is a temporary 503, and no book is blamed`;
      if (at > 0 && !IS_FULL) {
        check.skip(fact, 'the same for every network engine: only in a full run');
        continue;
      }
      check(fact, async () => {
        const folder = mkdtempSync(join(tmpdir(), 'longbox-descriptors-'));
        const environment = { SVC_HTTP__BACKEND: backend, SVC_POOL__IDLE_TIMEOUT_MS: '50' };
        const shelf = join(folder, 'books');
        mkdirSync(shelf);
        for (const name of BOOKS) copyFileSync(fixture(`books/${name}`), join(shelf, name));
        const program = await startProgram([shelf, '--data', join(folder, 'data')], environment);
        const { get, initialize, close } = asking(program);
        try {
          await initialize();
          await until('the scan completes', () => /scan of books completed/.test(program.printed()));
          const { data } = JSON.parse((await get('/books?pageSize=500')).body.toString());
          const book = data.find((one: { title: string }) => one.title === 'six-pages');
          let width = 100;
          /** Each time in a size that nobody asked for before. */
          const page = (): Promise<Got> => {
            width += 1;
            return get(`/books/${book.id}/pages/1?width=${width}`);
          };
          limitDescriptors(program, 3);
          let refused = await page();
          await until('no thread is left that could do it', async () => {
            refused = await page();
            return refused.status !== 200;
          });
          assert.equal([refused.status, JSON.parse(refused.body.toString()).error], [503, 'Overloaded']);
          assert.ok(refused.retryAfter);
          limitDescriptors(program, 1024);
          // A thread that began to start before may still fail.
          await until('pages are drawn again', async () => (await page()).status === 200);
          assert.is(JSON.parse((await get(`/books/${book.id}`)).body.toString()).analysisError, null);
          await until('the cause is logged', () => /ERR_WORKER_INIT_FAILED/.test(program.printed()));
          // A stop does not wait for long for what a thread has begun.
          await until('the covers are made', () => /covers of books: \d+ made/.test(program.printed()));
          program.child.kill('SIGTERM');
          assert.is(await program.ended, 0, program.printed());
        } finally {
          close();
          program.child.kill('SIGKILL');
          rmSync(folder, { recursive: true, force: true });
        }
      });
    }
  },
  { deadlineS: 60 },
);
