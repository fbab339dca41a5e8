// The serve command: lock, secrets, engine, socket, first scan; on a signal everything is ended in reverse order.

import { basename, resolve, sep } from 'node:path';
import { hasUsers } from '../../core/access/users.js';
import { allLibraries, createLibrary, type Library } from '../../core/catalog/libraries.js';
import { checkRoot, within } from '../../core/catalog/roots.js';
import { systemClock } from '../../core/engine/clock.js';
import { disks } from '../../core/engine/disks.js';
import { AppError } from '../../core/model/errors.js';
import { isMissingPath } from '../../core/model/path-refusal.js';
import { type App, startEngine } from '../../core/start.js';
import { SYSTEM } from '../../core/store/feed.js';
import { acquireLock } from '../../core/upkeep/lock.js';
import { loadSecrets } from '../../core/upkeep/secrets.js';
import { explained, refuseCacheFile } from '../../core/upkeep/start-faults.js';
import type { Config } from '../config/config.js';
import { engineOptionsOf, placesOf } from '../config/engine-options.js';
import type { Listening } from '../server/adapter.js';
import { listen } from './listen.js';
import { createLog, type Log } from './log.js';
import { counted } from './printable.js';
import { createProgressWriter, type ProgressWriter } from './progress-line.js';
import { watchScans } from './scan-progress.js';
import { startupScan } from './startup-scan.js';
import { catchStrayFaults, STRAY_FAULT } from './stray-faults.js';

const STOP_GRACE_MS = 5000;

export interface ServeOptions {
  readonly config: Config;
  readonly folders: readonly string[];
  readonly version: string;
}

/** Resolves with the exit code once the server has stopped. */
export const serve = (options: ServeOptions): Promise<number> =>
  startAndRun(options).catch((thrown: unknown) => {
    throw explained(thrown, placesOf(options.config));
  });

const startAndRun = async ({ config, folders, version }: ServeOptions): Promise<number> => {
  const places = placesOf(config);
  const found = await Promise.all(folders.map((one) => rootOf(one, [places.folder, places.cache])));
  const roots = [...new Set(found)];
  refuseNested(roots);
  const isJson = config.logging.format === 'json';
  const lines = { write: (text: string) => log.info(text.trimEnd()) };
  const progress = createProgressWriter(isJson ? lines : process.stdout, systemClock);
  const log = createLog(config.logging, {
    out: process.stderr,
    terminal: process.stdout,
    beforeLine: () => progress.clear(),
  });
  let left: string | null = null;
  const lock = await acquireLock(resolve(config.dataDir), Date.now());
  try {
    refuseCacheFile(placesOf(config).cache);
    const { jwtSecret } = loadSecrets(resolve(config.dataDir), config.auth);
    const app = await startEngine({
      ...engineOptionsOf(config),
      jwtSecret,
      onFault: (thrown) => log.error('background work failed', thrown),
      onNote: (sentence) => log.info(sentence),
      onWarning: (sentence) => log.warn(sentence),
    });
    let strays = 0;
    const release = catchStrayFaults((thrown) => {
      strays += 1;
      log.error(STRAY_FAULT, thrown, { number: strays });
    });
    try {
      await run(app, { config, folders: roots, version }, log, progress);
    } finally {
      try {
        left = await stopped(app, log);
      } finally {
        release();
      }
    }
  } finally {
    await lock.release();
    if (left !== null) endNow(log, left);
  }
  log.info('stopped');
  return 0;
};

/** Longer than all steps together may take. */
const STOP_MS = 30_000;

/** What still runs after everything else has ended; null for nothing. */
const stopped = async (app: App, log: Log): Promise<string | null> => {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<'late'>((resolve) => {
    timer = setTimeout(() => resolve('late'), STOP_MS);
  });
  const first = await Promise.race([app.stop(), late]).finally(() => clearTimeout(timer));
  if (first === 'late') log.warn(`not everything stopped within ${STOP_MS / 1000} s`);
  const left = [
    ...(app.pool.lostThreads > 0 ? [counted(app.pool.lostThreads, 'thread')] : []),
    ...(disks.running > 0 ? [counted(disks.running, 'disk request')] : []),
  ];
  return first !== 'late' && left.length === 0 ? null : left.join(' and ') || 'something';
};

/** What is blocked, as on an unresponsive disk, cannot be ended, and an orderly exit would wait for it. Everything is stored by now. */
const endNow = (log: Log, left: string): void => {
  log.warn(`still running: ${left}; exiting without waiting`);
  process.kill(process.pid, 'SIGKILL');
};

/** An argument that means nothing. */
export class UnknownWord extends AppError {
  constructor(word: string) {
    super('BadRequest', `"${word}" is neither a command nor a folder.`);
  }
}

const rootOf = async (folder: string, ours: readonly string[]): Promise<string> =>
  checkRoot(resolve(folder), ours).catch((thrown: unknown) => {
    const why = thrown instanceof Error ? thrown.message : String(thrown);
    if (!isMissingPath(thrown)) throw new AppError('BadRequest', `Cannot serve "${folder}": ${why}`);
    const missing = `There is no folder "${folder}".`;
    throw folder.includes(sep) ? new AppError('BadRequest', missing) : new UnknownWord(folder);
  });

/** Two libraries must not share files; this is known before anything starts. */
const refuseNested = (roots: readonly string[]): void => {
  for (const outer of roots) {
    const inner = roots.find((one) => one !== outer && within(one, outer));
    if (inner !== undefined)
      throw new AppError('BadRequest', `The folder "${inner}" lies inside "${outer}". Name only one of them.`);
  }
};

/** Creates a library for each folder that is not one yet. */
const ensureLibraries = async (app: App, roots: readonly string[]): Promise<Library[]> => {
  const known = await allLibraries(app.db);
  const wanted: Library[] = [];
  for (const root of roots) {
    const present = known.find((library) => library.root === root);
    wanted.push(
      present ??
        (await createLibrary(app.db, app.clock, SYSTEM, { name: basename(root) || root, path: root }, app.ownFolders)),
    );
  }
  return wanted;
};

const run = async (app: App, options: ServeOptions, log: Log, progress: ProgressWriter): Promise<void> => {
  // First of all: an interrupted scan may end soon.
  const watch = watchScans(app, {
    progress,
    onEnded: (sentence, isFine) => log.announce(sentence, isFine ? 'info' : 'warn'),
    onFault: (thrown) => log.error('cannot read the scan status', thrown),
  });
  const listening = await runUntilAsked(app, options, log).finally(() => watch.stop());
  app.health.stopping(); // whoever balances the load looks elsewhere meanwhile
  await listening.stop(STOP_GRACE_MS);
};

/** Resolves when a signal asks the program to stop. */
const runUntilAsked = async (app: App, { config, folders, version }: ServeOptions, log: Log): Promise<Listening> => {
  const asked = nextStopSignal();
  const libraries = await ensureLibraries(app, folders); // a folder may be refused: before the server says that it listens
  const listening = await listen(app, config, version, log);
  const { host } = config.application;
  const isEverywhere = host === '0.0.0.0' || host === '::';
  const shownHost = host.includes(':') ? `[${host}]` : host;
  const address = `http://${isEverywhere ? 'localhost' : shownHost}:${listening.port}`;
  log.announce(`longbox listening on ${address}${isEverywhere ? ` (all addresses, ${host})` : ''}`);
  if (!(await hasUsers(app.db))) {
    const api = `POST ${address}/api/v1/setup/initialize with username, email and password`;
    log.announce(
      config.web.enabled
        ? `no user yet: open ${address} in your browser to create the first account\n(a script can do the same: ${api})`
        : `no user yet: create the first account with ${api}`,
    );
  }
  app.warmUp.wake();
  const resumed = app.scans.active().length;
  if (resumed > 0) log.info(`resuming ${resumed} interrupted scan${resumed === 1 ? '' : 's'}`);
  const active = new Set(app.scans.active().map((status) => status.libraryKey));
  for (const library of await startupScans(app, libraries)) {
    if (active.has(library.key)) continue;
    if (await app.scans.isQuarantined(library))
      log.warn(
        `the library "${library.name}" is not scanned: its last scan was quarantined; start one yourself to retry`,
      );
    else await startupScan(app, library, log);
  }
  await app.analyses.resume().catch((thrown: unknown) => log.error('cannot resume analyses', thrown));
  const signal = await asked;
  log.info(`${signal}: stopping`);
  return listening;
};

/** Folders named on the command line, and libraries configured to be scanned at every start. */
const startupScans = async (app: App, named: readonly Library[]): Promise<readonly Library[]> => {
  const onStart = (await allLibraries(app.db)).filter((library) => library.scanOnStart);
  return [...named, ...onStart.filter((library) => !named.some(({ key }) => key === library.key))];
};

/** One request may come twice: Ctrl-C in a terminal and systemd signal npm and the server, and npm passes its own on. */
const SAME_REQUEST_MS = 1000;

/** The first SIGTERM or SIGINT; another one, a while later, ends the process at once. */
const nextStopSignal = (): Promise<string> =>
  new Promise((done) => {
    let askedMs: number | null = null;
    const onSignal = (signal: string): void => {
      if (askedMs !== null && performance.now() - askedMs > SAME_REQUEST_MS) process.exit(1);
      askedMs ??= performance.now();
      done(signal);
    };
    process.on('SIGTERM', onSignal);
    process.on('SIGINT', onSignal);
  });
