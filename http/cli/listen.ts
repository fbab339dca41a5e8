// Opens the sockets of the server: its own, and that of the comic-server API where it has a port of its own.
import { resolve } from 'node:path';
import { AppError } from '../../core/model/errors.js';
import type { App } from '../../core/start.js';
import { firstPages } from '../api/first-pages.js';
import type { Config } from '../config/config.js';
import { boundsOf } from '../config/engine-options.js';
import type { HttpAdapter, Listening, ListenOptions } from '../server/adapter.js';
import { chooseBackend } from '../server/backend.js';
import { compressing } from '../server/compressor.js';
import { createAdmit } from '../surface/admission.js';
import { subPathOf } from '../surface/cookies.js';
import { createDispatch, type DispatchOptions, refusalAt } from '../surface/dispatch.js';
import { KeptAnswers } from '../surface/kept-answers.js';
import { trustedProxies, UntrustedProxies } from '../surface/proxies.js';
import { buildRouter } from '../surface/router.js';
import { pathWithout, withoutSubPath } from '../surface/sub-path.js';
import { traced } from '../surface/traced-requests.js';
import type { Traffic } from '../surface/traffic.js';
import { FailureLog } from './failure-log.js';
import type { Log } from './log.js';
import { measured } from './measured.js';
import { appAddressesOf, comicServerAt, surfacesFor } from './surfaces.js';

interface Parts {
  readonly app: App;
  readonly config: Config;
  readonly version: string;
  readonly log: Log;
}

const keptFor = ({ app, version }: Parts): KeptAnswers =>
  new KeptAnswers({
    feed: app.db.feed,
    versions: app.versions,
    release: version,
    onDropped: () => app.idleTrimmer.noteFreed(),
  });

const dispatchOptionsOf = (
  parts: Parts,
  { router, scrape, traffic, onFault }: Pick<DispatchOptions, 'router' | 'onFault'> & ReturnType<typeof measured>,
): DispatchOptions => {
  const { app, config, version, log } = parts;
  const { baseUrl } = config.application;
  const proxies = new UntrustedProxies((sentence) => log.warn(sentence));
  app.health.include(() => proxies.look());
  return {
    app,
    router,
    settings: {
      cookieSecure: config.auth.cookieSecure,
      subPath: subPathOf(baseUrl),
      version,
      appAddresses: appAddressesOf(config),
      host: config.application.host,
      recentLog: log.recent,
      scrape,
    },
    kept: keptFor(parts),
    cors: { origins: config.api.corsEnabled ? config.api.corsOrigins : [] },
    isTrustedProxy: trustedProxies(config.http.trustedProxies),
    onUntrustedProxy: (address) => proxies.note(address),
    baseUrl,
    traffic,
    onDone: log.isDebug
      ? ({ route, method, status, ms, clientAddress }) =>
          log.debug('answered', { route, method, status, ms: Math.round(ms * 100) / 100, clientAddress })
      : null,
    onFault,
  };
};

const listenOptionsOf = (
  { app, config, log }: Parts,
  options: DispatchOptions,
  traffic: Traffic,
  failures: FailureLog,
): ListenOptions => ({
  host: config.application.host,
  port: config.application.port,
  bodyBytes: Math.max(config.http.bodyLimitBytes, config.http.uploadLimitBytes),
  bounds: boundsOf(config),
  handlerMs: config.http.handlerTimeoutMs,
  ...withoutSubPath(
    options.router,
    options.settings.subPath,
    traced(app.tracing, options.router, options.isTrustedProxy, {
      dispatch: compressing(createDispatch(options)),
      admit: createAdmit(options, {
        publicBytes: config.http.publicBodyLimitBytes,
        userBytes: config.http.bodyLimitBytes,
        uploadBytes: config.http.uploadLimitBytes,
      }),
    }),
  ),
  refuse: (thrown, path) =>
    traffic.refused(refusalAt(options, thrown, { path: pathWithout(options.router, options.settings.subPath)(path) })),
  onFault: (thrown, path = 'the network engine') => failures.note(thrown, path),
  onCrowded: (sentence) => log.warn(sentence),
});

/** Both end together; a port that cannot be had is known before the server says that it listens. */
const together = async (backend: HttpAdapter, options: ListenOptions, beside: ListenOptions): Promise<Listening> => {
  const other = await backend.listen(beside).catch((thrown: unknown) => {
    const why = thrown instanceof Error ? thrown.message : String(thrown);
    throw new AppError('BadRequest', `The comic-server API cannot have its own port (komga_api.port): ${why}`);
  });
  try {
    const main = await backend.listen(options);
    const stop = async (graceMs: number): Promise<void> => {
      await Promise.all([main.stop(graceMs), other.stop(graceMs)]);
    };
    return { ...main, stop };
  } catch (thrown) {
    await other.stop(0);
    throw thrown;
  }
};

/** What the comic server serves, at the root: absolute addresses in its answers lead to this port, and cookies are for all of it. */
const besideOf = (parts: Parts, options: DispatchOptions): DispatchOptions => {
  const settings = { ...options.settings, subPath: '' };
  return {
    ...options,
    settings,
    router: buildRouter(comicServerAt(parts.config, '')),
    kept: keptFor(parts),
    baseUrl: null,
  };
};

/** At a terminal, where the version is known and every line counts, only for debugging. */
const noteStart = ({ config, version, log }: Parts, { name }: HttpAdapter): void => {
  const hint = name === 'uws' ? ' (a proxy in front must use HTTP/1.1)' : '';
  const sentence = `longbox ${version}, Node ${process.versions.node}, network engine: ${name}${hint}`;
  const isTerminal = config.logging.format === 'text' && process.stderr.isTTY;
  log[isTerminal ? 'debug' : 'info'](sentence, { data: resolve(config.dataDir) });
};

const NAME_MAX = 64;

/** Quoted, so that what a stranger sends cannot look like other fields of the line; they may also type a password here. */
const shownName = (name: string): string => JSON.stringify(name.slice(0, NAME_MAX));

export const listen = (app: App, config: Config, version: string, log: Log): Promise<Listening> => {
  const parts = { app, config, version, log };
  const failures = new FailureLog(log);
  const router = buildRouter(surfacesFor(config, version));
  const onFault = (thrown: unknown, route: string): void => failures.note(thrown, route);
  const measures = measured({ app, router, version, onFault: (thrown) => onFault(thrown, 'metrics') }, config.metrics);
  const options = dispatchOptionsOf(parts, { ...measures, router, onFault });
  app.warmUp.steps = firstPages(app, router, options.settings);
  const backend = chooseBackend(config.http.backend, (sentence) => log.warn(sentence));
  noteStart(parts, backend);
  app.throttle.announce = ({ address, surface, reason, waitMs, name }) =>
    log.warn('sign-in failed', { address, surface, reason, waitS: Math.ceil(waitMs / 1000), name: shownName(name) });
  const { traffic } = measures;
  const main = listenOptionsOf(parts, options, traffic, failures);
  const { enabled, port } = config.komgaApi;
  if (!enabled || port === 0) return measures.listen(() => backend.listen(main));
  const beside = { ...listenOptionsOf(parts, besideOf(parts, options), traffic, failures), port };
  return measures.listen(() => together(backend, main, beside));
};
