// From the configuration to the options of the engine and of the server: here configuration keys meet their names.
import { availableParallelism } from 'node:os';
import { join, resolve } from 'node:path';
import type { MailOptions } from '../../core/access/mails.js';
import type { HashCost } from '../../core/access/passwords.js';
import type { PoolOptions } from '../../core/engine/pool.js';
import type { Limits } from '../../core/model/jobs.js';
import type { ProviderOptions, SignOnOptions } from '../../core/sign-on/options.js';
import { backupFolder, databasePath, type EngineOptions } from '../../core/start.js';
import { headersIn, type TracingOptions } from '../../core/tracing/options.js';
import type { Places } from '../../core/upkeep/installation.js';
import type { Bounds } from '../server/adapter.js';
import { connectionsWithin, descriptorLimit } from '../server/descriptors.js';
import type { Config } from './config.js';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const SLOW_MS = 30_000;
/** Uploads of the largest size that may arrive at the same time. */
const UPLOADS = 4;

/**
 * Two threads more than cores: a job waits for libvips and for its result to be handed over, and background work leaves one thread free.
 */
export const threadsOf = (configured: number): number =>
  Math.max(2, configured === 0 ? availableParallelism() + 2 : configured);

export const limitsOf = ({ limits }: Config): Limits => ({
  archiveEntries: limits.archiveEntries,
  entryBytes: limits.entryBytes,
  entryRatio: limits.entryRatio,
  imagePixels: limits.imagePixels,
  xmlBytes: limits.xmlBytes,
});

export const poolOptionsOf = ({ pool }: Config): PoolOptions => ({
  entry: new URL('../../workers/thread.cjs', import.meta.url).href,
  threads: threadsOf(pool.threads),
  idleTimeoutMs: pool.idleTimeoutMs,
  queueInteractive: pool.queueInteractive,
  queueBackground: pool.queueBackground,
  jobDeadlineMs: pool.jobDeadlineMs,
});

export const hashCostOf = ({ auth }: Config): HashCost => ({
  memoryKib: auth.argon2MemoryCost,
  iterations: auth.argon2TimeCost,
  parallelism: auth.argon2Parallelism,
});

export const placesOf = ({ dataDir, cache }: Config): Places => {
  const folder = resolve(dataDir);
  return {
    folder,
    database: databasePath(folder),
    backups: backupFolder(folder),
    cache: cache.path === null ? join(folder, 'cache') : resolve(cache.path),
  };
};

const mailOf = ({ application, dataDir, email }: Config): MailOptions => ({
  smtp:
    email.smtpHost === null
      ? null
      : { host: email.smtpHost, port: email.smtpPort, username: email.smtpUsername, password: email.smtpPassword },
  from: { name: email.smtpFromName, address: email.smtpFromEmail },
  folder: join(resolve(dataDir), 'mails'),
  linkBase: email.verificationUrlBase ?? application.baseUrl,
});

type Provider = Config['auth']['oidc']['providers'][string];

const providerOf = (name: string, given: Provider): ProviderOptions => ({
  name,
  displayName: given.displayName ?? name,
  issuerUrl: given.issuerUrl ?? '',
  clientId: given.clientId ?? '',
  clientSecret: given.clientSecret,
  scopes: given.scopes,
  roleMapping: given.roleMapping,
  groupsClaim: given.groupsClaim,
  usernameClaim: given.usernameClaim,
  emailClaim: given.emailClaim,
  acceptedAudiences: given.acceptedAudiences,
});

const signOnOf = ({ application, auth: { oidc } }: Config): SignOnOptions => ({
  providers: oidc.enabled ? Object.entries(oidc.providers).map(([name, one]) => providerOf(name, one)) : [],
  redirectBase: (oidc.redirectUriBase ?? application.baseUrl ?? '').replace(/\/+$/, ''),
  allowedRedirects: oidc.allowedRedirectUris,
  createsUsers: oidc.autoCreateUsers,
  defaultRole: oidc.defaultRole,
  linksByEmail: oidc.linkByVerifiedEmail,
});

export const tracingOf = ({ tracing }: Config): TracingOptions => ({
  endpoint: tracing.endpoint,
  headers: headersIn(tracing.headers ?? '') ?? {},
  sampleRatio: tracing.sampleRatio,
  serviceName: tracing.serviceName,
  browser: { isOn: tracing.browser, sampleRatio: tracing.browserSampleRatio },
});

type FromConfig = Omit<EngineOptions, 'jwtSecret' | 'onFault' | 'onNote' | 'onWarning' | 'clock'>;

export const engineOptionsOf = (config: Config): FromConfig => {
  const { folder, cache } = placesOf(config);
  return {
    folder,
    cacheFolder: cache,
    cacheBudgetBytes: config.cache.budgetBytes,
    readers: config.database.readers,
    pool: poolOptionsOf(config),
    limits: limitsOf(config),
    thumbnail: { side: config.thumbnail.maxDimension, quality: config.thumbnail.jpegQuality },
    scheduler: { timezone: config.scheduler.timezone },
    events: { unnamed: config.events.unnamed },
    quality: config.pages.quality,
    tableCacheBytes: config.pages.tableCacheBytes,
    openFiles: config.pages.openFiles,
    walkBatchFiles: config.scanner.walkBatchFiles,
    maxConcurrentScans: config.scanner.maxConcurrentScans,
    tokenLifetimeMs: config.auth.jwtExpiryHours * HOUR_MS,
    refreshLifetimeMs: config.auth.refreshTokenEnabled ? config.auth.refreshTokenExpiryDays * DAY_MS : null,
    hashCost: hashCostOf(config),
    loginThrottle: {
      attempts: config.rateLimit.loginAttempts,
      firstWaitMs: config.rateLimit.loginWindowSeconds * 1000,
    },
    registration: {
      isOpen: config.auth.registrationEnabled,
      isConfirmed: config.auth.emailConfirmationRequired,
      linkLifetimeMs: config.email.verificationTokenExpiryHours * HOUR_MS,
    },
    mail: mailOf(config),
    signOn: signOnOf(config),
    tracing: tracingOf(config),
    guestRate: { perSecond: config.rateLimit.anonymousRps, burst: config.rateLimit.anonymousBurst },
  };
};

export const boundsOf = ({ http, pages }: Config): Bounds => ({
  connections: connectionsWithin(http.connections, descriptorLimit(), pages.openFiles),
  bodiesBytes: http.bodiesInFlightBytes,
  uploadsBytes: UPLOADS * http.uploadLimitBytes,
  answersBytes: http.answersInFlightBytes,
  slowMs: SLOW_MS,
});
