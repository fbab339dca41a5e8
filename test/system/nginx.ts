// nginx as a reverse proxy in front of the program, for tests. Those are skipped where there is none, unless it is required.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { until } from '../app.js';
import type { Check } from '../kit.js';

export const NGINX = ['nginx', '/usr/sbin/nginx'].find((path) => spawnSync(path, ['-v']).status === 0);

/** What has to be on this machine, by name: a test that lacks it then fails instead of being skipped. */
const REQUIRED = (process.env.LONGBOX_TEST_REQUIRE ?? '').split(',');

/** A fact that needs nginx. */
export const checkWithNginx = (check: Check, fact: string, body: () => Promise<void>): void => {
  if (NGINX === undefined && !REQUIRED.includes('nginx')) check.skip(fact, 'it needs nginx');
  else check(fact, body);
};

export const freePort = async (): Promise<number> => {
  const server = createServer().listen(0, '127.0.0.1');
  await until('it listens', () => server.listening);
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return typeof address === 'object' && address !== null ? address.port : 0;
};

interface Proxying {
  /** For its files. */
  readonly folder: string;
  /** Where the program listens. */
  readonly upstream: string;
  /** The server block but for where requests go: `proxy` has the lines that forward one. */
  readonly server: (proxy: string) => string;
  readonly answers: () => Promise<boolean>;
}

/** Started by root its worker would be nobody, who may not write into a folder of root's. */
const USER = process.getuid?.() === 0 ? 'user root;' : '';

/** A whole configuration around the content of its http block; all its files are in the folder. */
export const nginxConfig = (folder: string, http: string): string => `
${USER} daemon off; worker_processes 1; pid ${folder}/nginx.pid; error_log ${folder}/error.log;
events { worker_connections 64; }
http {
  access_log off; client_body_temp_path ${folder}/body; proxy_temp_path ${folder}/proxy; fastcgi_temp_path ${folder}/f;
  uwsgi_temp_path ${folder}/u; scgi_temp_path ${folder}/s;
  ${http}
}`;

const configOf = ({ folder, upstream, server }: Proxying): string =>
  nginxConfig(
    folder,
    `upstream longbox { server ${upstream}; keepalive 8; }
  server {
    ${server(`proxy_http_version 1.1; proxy_set_header Connection "";
      proxy_set_header Host $http_host; proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;`)}
  }`,
  );

/** Starts a proxy and waits until it answers; the function ends it. */
export const startProxy = async (
  command: string,
  args: readonly string[],
  answers: () => Promise<boolean>,
  environment: Readonly<Record<string, string>> = {},
): Promise<() => Promise<void>> => {
  const child = spawn(command, args, { stdio: 'ignore', env: { ...process.env, ...environment } });
  const ended = once(child, 'exit');
  const stop = async (): Promise<void> => {
    child.kill('SIGTERM');
    await ended;
  };
  await until('the proxy answers', answers).catch(async (thrown: unknown) => {
    await stop();
    throw thrown;
  });
  return stop;
};

/** Starts it; the function ends it. */
export const startNginx = async (wanted: Proxying): Promise<() => Promise<void>> => {
  if (NGINX === undefined) throw new Error('there is no nginx on this machine, and LONGBOX_TEST_REQUIRE names it');
  const { folder, answers } = wanted;
  const config = join(folder, 'nginx.conf');
  writeFileSync(config, configOf(wanted));
  return startProxy(NGINX, ['-p', folder, '-c', config], answers);
};
