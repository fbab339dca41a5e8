// Answers with a 5xx: each is told with its cause, none floods the log, and what nobody waits for any more is no failure.
import { AppError } from '../../core/model/errors.js';
import { API, ROOT } from '../../http/api/surface.js';
import { FailureLog } from '../../http/cli/failure-log.js';
import { createLog } from '../../http/cli/log.js';
import type { Request } from '../../http/server/adapter.js';
import { createDispatch } from '../../http/surface/dispatch.js';
import { RecentLog } from '../../http/surface/recent-log.js';
import { EMPTY } from '../../http/surface/replies.js';
import { route } from '../../http/surface/route.js';
import { buildRouter } from '../../http/surface/router.js';
import { type TempApp, tempApp, until } from '../app.js';
import { assert, block } from '../kit.js';
import { NO_SCRAPE } from '../no-scrape.js';

let temp: TempApp;

const KINDS_OF_5XX = ['FileUnreadable', 'FileChanged', 'Timeout', 'Overloaded', 'WorkerCrashed', 'Internal'] as const;

/** What is told about a request whose row throws this. */
const toldAbout = async (thrown: unknown, signal = new AbortController().signal): Promise<[string, unknown][]> => {
  const told: [string, unknown][] = [];
  const row = route({
    id: 'thrower',
    method: 'GET',
    path: '/thrower',
    access: 'public',
    reply: EMPTY,
    about: 'Throws.',
    run: () => Promise.reject(thrown),
  });
  const dispatch = createDispatch({
    app: temp.app,
    router: buildRouter([{ ...API, rows: [row] }, ROOT]),
    settings: {
      cookieSecure: false,
      subPath: '',
      version: 'test',
      appAddresses: [],
      host: '127.0.0.1',
      recentLog: new RecentLog(),
      scrape: NO_SCRAPE,
    },
    kept: null,
    cors: { origins: [] },
    isTrustedProxy: () => false,
    onUntrustedProxy: () => undefined,
    baseUrl: null,
    traffic: null,
    onDone: null,
    onFault: (found, where) => told.push([where, found]),
  });
  const request: Request = {
    method: 'GET',
    path: '/api/v1/thrower',
    query: '',
    header: () => '',
    has: () => false,
    remoteAddress: '127.0.0.1',
    body: Buffer.alloc(0),
    signal,
  };
  await dispatch(request);
  return told;
};

/** A log whose lines are kept, and failures noted in it. */
const kept = (windowMs: number): { readonly failures: FailureLog; readonly lines: string[] } => {
  const lines: string[] = [];
  const log = createLog({ level: 'info', format: 'text' } as never, {
    out: { write: (text) => lines.push(text) },
    terminal: { write: () => undefined },
  });
  return { failures: new FailureLog(log, windowMs), lines };
};

const LONG_MS = 3_600_000;

block(
  'failed answers',
  (check) => {
    for (const kind of KINDS_OF_5XX) {
      check(`${kind} is logged with its row`, async () => {
        const thrown = new AppError(kind);
        assert.equal(await toldAbout(thrown), [['thrower', thrown]]);
      });
    }
    check('work that was cancelled while its client waited is logged', async () =>
      assert.is((await toldAbout(new AppError('Cancelled'))).length, 1),
    );
    check('work that was cancelled because its client left is not', async () =>
      assert.equal(await toldAbout(new AppError('Cancelled'), AbortSignal.abort()), []),
    );
    check('errors caused by a client or a book are not logged', async () => {
      assert.equal(await toldAbout(new AppError('NotFound')), []);
      assert.equal(await toldAbout(new AppError('CorruptPage')), []);
    });
    check('a line names the row, the kind, and the cause', () => {
      const { failures, lines } = kept(LONG_MS);
      failures.note(
        new AppError('FileUnreadable', 'The file cannot be read.', null, new Error('EIO: i/o error, read')),
        'pages.one',
      );
      assert.is(lines.length, 1);
      for (const words of ['warn', 'pages.one', 'FileUnreadable', 'The file cannot be read.', 'EIO: i/o error'])
        assert.ok(lines[0]?.includes(words), `${words} in ${lines[0]}`);
    });
    check('a bug is logged with its stack', () => {
      const { failures, lines } = kept(LONG_MS);
      failures.note(new TypeError('x is undefined'), 'pages.one');
      assert.match(lines[0] ?? '', /error[\s\S]*TypeError: x is undefined\n\s+at /);
    });
    check('a flood of failures gives a few lines, and then their number by kind', async () => {
      const { failures, lines } = kept(30);
      for (let n = 0; n < 10_000; n += 1)
        failures.note(new AppError(n % 2 === 0 ? 'Overloaded' : 'Timeout'), 'pages.one');
      assert.is(lines.length, 30);
      await until('the rest is counted', () => lines.length > 30);
      assert.match(lines[30] ?? '', /Overloaded=4985 Timeout=4985/);
      failures.note(new AppError('Timeout'), 'pages.two');
      assert.match(lines[31] ?? '', /pages\.two/);
    });
  },
  {
    before: async () => {
      temp = await tempApp();
    },
    after: () => temp.close(),
  },
);
