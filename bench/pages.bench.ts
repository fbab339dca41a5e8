// Pages and thumbnails over the socket, each compared with the bare library (and nginx) serving the same number of bytes in the same run.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { makeLibrary, PLANS } from './corpus.js';
import { load } from './load.js';
import { compared, cpuSeconds, has, type Line, median, type Suite, skipped } from './measure.js';
import { libraryOf, type Running, scan, startProgram } from './program.js';

const CONNECTIONS = 16;
const PINNED = has('taskset') ? ['taskset', '-c', '0'] : [];

export const spawnPinned = (command: string, args: readonly string[]): ChildProcess => {
  const [first = command, ...rest] = [...PINNED, command, ...args];
  const child = spawn(first, rest, { stdio: ['ignore', 'pipe', 'inherit'] });
  process.once('exit', () => child.kill('SIGKILL'));
  return child;
};

export const portOf = (child: ChildProcess): Promise<number> =>
  new Promise((resolve, reject) => {
    child.stdout?.on('data', (chunk) => {
      const port = /port (\d+)/.exec(String(chunk))?.[1];
      if (port !== undefined) resolve(Number(port));
    });
    child.once('exit', () => reject(new Error('the bare server did not start')));
  });

/** nginx cannot say which port it was given. */
const freePort = async (): Promise<number> => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (address === null || typeof address === 'string') throw new Error('no port is free');
  return address.port;
};

/** nginx over plain files, with sendfile, in a folder and with a configuration of its own. */
const startNginx = async (
  folder: string,
  files: ReadonlyMap<string, Buffer>,
): Promise<{ readonly pid: number; readonly port: number; stop(): void } | undefined> => {
  if (!has('nginx')) return undefined;
  const port = await freePort();
  const root = join(folder, 'nginx');
  mkdirSync(join(root, 'www'), { recursive: true });
  for (const [name, bytes] of files) writeFileSync(join(root, 'www', name), bytes);
  const conf = `daemon off; master_process off; pid ${root}/pid; error_log ${root}/error.log; events {}
    http { access_log off; sendfile on; tcp_nopush on; keepalive_requests 1000000;
      open_file_cache max=1000 inactive=1h; open_file_cache_valid 1h; open_file_cache_min_uses 1;
      client_body_temp_path ${root}/a; proxy_temp_path ${root}/b; fastcgi_temp_path ${root}/c; uwsgi_temp_path ${root}/d; scgi_temp_path ${root}/e;
      server { listen 127.0.0.1:${port}; root ${root}/www; } }`;
  writeFileSync(join(root, 'nginx.conf'), conf);
  const child = spawnPinned('nginx', ['-c', join(root, 'nginx.conf'), '-p', root]);
  await new Promise((resolve) => setTimeout(resolve, 300));
  return { pid: child.pid ?? 0, port, stop: () => child.kill('SIGTERM') };
};

interface Page {
  readonly id: string;
  readonly path: string;
  readonly bytes: Buffer;
}

const firstPage = async (program: Running, title: string): Promise<Page> => {
  const { data } = await program.call('GET', '/books?pageSize=500');
  const book = data.find((one: { path: string }) => one.path.includes(`/${title}/`));
  const path = `/api/v1/books/${book.id}/pages/1`;
  const reply = await fetch(`http://127.0.0.1:${program.port}${path}`, {
    headers: { authorization: `Bearer ${program.token}` },
  });
  return { id: book.id, path, bytes: Buffer.from(await reply.arrayBuffer()) };
};

interface Pair {
  readonly ours: number;
  readonly bare: number;
  readonly oursPerCpu: number;
  readonly nginxPerCpu: number | null;
}

/** Rounds alternate, so that a busy moment of the machine hits both sides. */
const race = async (
  program: Running,
  path: string,
  bareUrl: string,
  nginx: { pid: number; url: string } | undefined,
  rounds: number,
  seconds: number,
): Promise<Pair> => {
  const auth = [`Authorization: Bearer ${program.token}`];
  const url = `http://127.0.0.1:${program.port}${path}`;
  const ours: number[] = [];
  const bare: number[] = [];
  const oursPerCpu: number[] = [];
  const nginxPerCpu: number[] = [];
  const perCpu = async (
    pid: number,
    address: string,
    headers: readonly string[],
  ): Promise<readonly [number, number]> => {
    const before = cpuSeconds(pid);
    const { perSecond } = await load(address, headers, CONNECTIONS, seconds);
    return [perSecond, (perSecond * seconds) / Math.max(0.01, cpuSeconds(pid) - before)];
  };
  await load(url, auth, CONNECTIONS, 1);
  for (let n = 0; n < rounds; n += 1) {
    const [rate, cpu] = await perCpu(program.pid, url, auth);
    ours.push(rate);
    oursPerCpu.push(cpu);
    bare.push((await load(bareUrl, [], CONNECTIONS, seconds)).perSecond);
    if (nginx !== undefined) nginxPerCpu.push((await perCpu(nginx.pid, nginx.url, []))[1]);
  }
  return {
    ours: median(ours),
    bare: median(bare),
    oursPerCpu: median(oursPerCpu),
    nginxPerCpu: nginx === undefined ? null : median(nginxPerCpu),
  };
};

/** The same pages over node:http. Its limit is a bare server of it, which reads as many bytes from an open file for each request. */
const overNode = async (folder: string, rounds: number, seconds: number): Promise<Line[]> => {
  const program = await startProgram(join(folder, 'data-pages'), true, PINNED, { SVC_HTTP__BACKEND: 'node' });
  const bare = spawnPinned(process.execPath, [fileURLToPath(new URL('./bare-node.js', import.meta.url)), folder]);
  const barePort = await portOf(bare);
  const lines: Line[] = [];
  for (const [title, name, size] of [
    ['pages300', 'small', '300 kB'],
    ['pages1000', 'large', '1 MB'],
  ] as const) {
    const page = await firstPage(program, title);
    const bareUrl = `http://127.0.0.1:${barePort}/${page.bytes.length}`;
    const found = await race(program, page.path, bareUrl, undefined, rounds, seconds);
    lines.push(
      compared({
        id: `page-${name}-node`,
        work: `the same over node:http, ${size}`,
        limit: 'bare node:http, reading the same number of bytes from an open file',
        unit: 'req/s',
        ours: found.ours,
        bare: found.bare,
        target: { kind: 'min', value: 0.9 },
      }),
    );
  }
  bare.kill('SIGKILL');
  await program.stop();
  return lines;
};

export const pages: Suite = async ({ quick, folder }) => {
  const rounds = quick ? 3 : 5;
  const seconds = quick ? 2 : 4;
  const roots = [await makeLibrary(folder, PLANS.pages300), await makeLibrary(folder, PLANS.pages1000)];
  const program = await startProgram(join(folder, 'data-pages'), false, PINNED);
  for (const root of roots) await scan(program, await libraryOf(program, root), 'normal');
  const small = await firstPage(program, 'pages300');
  const large = await firstPage(program, 'pages1000');
  const thumbnail = await fetch(`http://127.0.0.1:${program.port}/api/v1/books/${small.id}/thumbnail`, {
    headers: { authorization: `Bearer ${program.token}` },
  });
  const thumbnailBytes = (await thumbnail.arrayBuffer()).byteLength;
  const sizes = [small.bytes.length, large.bytes.length, thumbnailBytes];
  const bare = spawnPinned(process.execPath, [
    fileURLToPath(new URL('./bare-uws.js', import.meta.url)),
    ...sizes.map(String),
  ]);
  const barePort = await portOf(bare);
  const nginx = await startNginx(
    folder,
    new Map([
      ['small', small.bytes],
      ['large', large.bytes],
    ]),
  );
  const lines: Line[] = [];
  for (const [page, name, size] of [
    [small, 'small', '300 kB'],
    [large, 'large', '1 MB'],
  ] as const) {
    const nginxSide =
      nginx === undefined ? undefined : { pid: nginx.pid, url: `http://127.0.0.1:${nginx.port}/${name}` };
    const found = await race(
      program,
      page.path,
      `http://127.0.0.1:${barePort}/${page.bytes.length}`,
      nginxSide,
      rounds,
      seconds,
    );
    const work = `original page, warm, ${size}, ${CONNECTIONS} connections`;
    lines.push(
      compared({
        id: `page-${name}`,
        work,
        limit: 'bare uWS, a buffer of the same size',
        unit: 'req/s',
        ours: found.ours,
        bare: found.bare,
        target: { kind: 'min', value: 0.8 },
      }),
    );
    const nginxLimit = 'nginx with sendfile and open_file_cache over the extracted file, per CPU second';
    lines.push(
      found.nginxPerCpu === null
        ? skipped(`page-${name}-nginx`, work, nginxLimit, 'nginx is not installed')
        : compared({
            id: `page-${name}-nginx`,
            work,
            limit: nginxLimit,
            unit: 'req/CPU s',
            ours: found.oursPerCpu,
            bare: found.nginxPerCpu,
            target: { kind: 'min', value: 0.5 },
          }),
    );
  }
  const cover = await race(
    program,
    `/api/v1/books/${small.id}/thumbnail`,
    `http://127.0.0.1:${barePort}/${thumbnailBytes}`,
    undefined,
    rounds,
    seconds,
  );
  const note = `the thumbnail has ${thumbnailBytes} bytes`;
  lines.push(
    compared({
      id: 'thumbnail',
      work: 'thumbnail, warm',
      limit: 'bare uWS, a buffer of the same size',
      unit: 'req/s',
      ours: cover.ours,
      bare: cover.bare,
      target: { kind: 'min', value: 0.6 },
      note,
    }),
  );
  nginx?.stop();
  bare.kill('SIGKILL');
  await program.stop();
  lines.push(...(await overNode(folder, rounds, seconds)));
  return lines;
};
