// An upgrade of the database in its own process, which kills itself at a chosen moment.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { assert } from '../kit.js';

/** Schema of the database that is upgraded (fixtures/earlier), and the name of its copy. */
export const SCHEMA = 11;
export const COPY = `longbox-schema-${SCHEMA}.db`;

const moduleAt = (path: string): string => JSON.stringify(new URL(`../../core/store/${path}`, import.meta.url).href);

/** The code of that process: it upgrades `path`, and `setUp` decides where it kills itself. */
export const scriptFor = (path: string, backups: string, setUp: string): string => `
  const { existsSync, statSync } = await import('node:fs');
  const { migrate } = await import(${moduleAt('migrate.js')});
  const { MIGRATIONS } = await import(${moduleAt('migrations/index.js')});
  const die = () => process.kill(process.pid, 'SIGKILL');
  const dieWhen = (isTime) => { if (isTime()) die(); setImmediate(dieWhen, isTime); };
  const copy = ${JSON.stringify(join(backups, COPY))};
  const [path, backups] = ${JSON.stringify([path, backups])};
  ${setUp}`;

export const spawnScript = (script: string): ChildProcess =>
  spawn(process.execPath, ['--input-type=module', '-e', script], { stdio: ['ignore', 'inherit', 'inherit'] });

export const killedAt = async (script: string): Promise<void> => {
  assert.equal(await once(spawnScript(script), 'exit'), [null, 'SIGKILL']);
};
