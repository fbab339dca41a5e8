// The program under measurement: starts it, calls it, stops it. Everything it leaves is in a folder that is removed before the next start.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

// biome-ignore lint/suspicious/noExplicitAny: answers of the API, read by name
type Call = (method: string, path: string, body?: unknown) => Promise<any>;

export interface Running {
  readonly pid: number;
  readonly port: number;
  readonly token: string;
  /** Milliseconds from spawn to the first answer of /health. */
  readonly startMs: number;
  readonly call: Call;
  stop(): Promise<void>;
}

export const LOGIN = { username: 'bench', email: 'bench@example.com', password: 'Bench-123!' };

/** The stream stays open after the ready line: closing it would break the program's output. */
const ready = (child: ChildProcess): Promise<number> =>
  new Promise((resolve, reject) => {
    let text = '';
    child.stdout?.on('data', (chunk) => {
      text += String(chunk);
      const port = /listening on http:\/\/[^:]+:(\d+)/.exec(text)?.[1];
      if (port !== undefined) resolve(Number(port));
    });
    child.once('exit', () => reject(new Error(`the program did not start: ${text}`)));
  });

/** `prefix` goes before node (taskset); an existing data folder is kept when `keep` is true; `root` is a built checkout. */
export const startProgram = async (
  data: string,
  keep: boolean,
  prefix: readonly string[] = [],
  environment: Record<string, string> = {},
  root = ROOT,
): Promise<Running> => {
  if (!keep) rmSync(data, { recursive: true, force: true });
  const [command = process.execPath, ...args] = [
    ...prefix,
    process.execPath,
    join(root, 'dist', 'http', 'longbox.cjs'),
    'serve',
    '--data',
    data,
    '--port',
    '0',
    '--host',
    '127.0.0.1',
  ];
  const started = performance.now();
  const child = spawn(command, args, {
    stdio: ['ignore', 'pipe', 'inherit'],
    // As `npm start` does.
    env: {
      MALLOC_ARENA_MAX: '1',
      MALLOC_MMAP_THRESHOLD_: '1048576',
      ...process.env,
      SVC_LOGGING__LEVEL: 'error',
      ...environment,
    },
  });
  const kill = (): unknown => child.kill('SIGKILL');
  process.once('exit', kill);
  child.once('exit', () => process.off('exit', kill));
  const port = await ready(child);
  const base = `http://127.0.0.1:${port}/api/v1`;
  await fetch(`${base}/health`);
  const startMs = performance.now() - started;
  let token = '';
  const call: Call = async (method, path, body) => {
    const reply = await fetch(base + path, {
      method,
      headers: { 'content-type': 'application/json', ...(token === '' ? {} : { authorization: `Bearer ${token}` }) },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return reply.status === 204 ? null : reply.json();
  };
  const { setupRequired } = await call('GET', '/setup/status');
  token = (await call('POST', setupRequired ? '/setup/initialize' : '/auth/login', LOGIN)).access_token;
  return {
    pid: child.pid ?? 0,
    port,
    token,
    startMs,
    call,
    stop: async () => {
      child.kill('SIGTERM');
      await once(child, 'exit');
    },
  };
};

/** Creates (or finds) the library of a folder; returns its id. */
export const libraryOf = async (program: Running, path: string): Promise<string> => {
  const { data } = await program.call('GET', '/libraries');
  const known = data.find((library: { path: string }) => library.path === path);
  return known?.id ?? (await program.call('POST', '/libraries', { name: path.split('/').at(-1), path })).id;
};

/** Proportional set size in megabytes: pages shared with other processes count in part. */
export const pssMb = (pid: number): number =>
  Number(/^Pss:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'))?.[1] ?? 0) / 1024;

/** Waits until the covers of a scanned library are made; a program without that figure has made them by then. */
const covers = async (program: Running, libraryId: string): Promise<void> => {
  for (;;) {
    const { coversTotal, coversProcessed } = await program.call('GET', `/libraries/${libraryId}/scan-status`);
    if (coversProcessed === coversTotal) return;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
};

/**
 * Runs a scan to its end, and waits for the covers that follow it, so that nothing disturbs what is measured next. Returns seconds by the
 * server's own clock until every book can be read; `onLook` is called up to then.
 */
export const scan = async (
  program: Running,
  libraryId: string,
  mode: 'normal' | 'deep',
  onLook: () => void = () => undefined,
): Promise<number> => {
  await program.call('POST', `/libraries/${libraryId}/scan?mode=${mode}`);
  for (;;) {
    const status = await program.call('GET', `/libraries/${libraryId}/scan-status`);
    onLook();
    if (status.status === 'completed') {
      await covers(program, libraryId);
      return (Date.parse(status.completedAt) - Date.parse(status.startedAt)) / 1000;
    }
    if (status.status !== 'pending' && status.status !== 'running')
      throw new Error(`the scan ${status.status}: ${status.errors}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
};
