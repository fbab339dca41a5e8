// The configuration as one table: every key with its type, default, bounds and one sentence, and how its names are written.
// Knows no file and no environment (http/config/config.ts reads those).
import { ENCRYPTION_KEY_SHAPE, encryptionKeyOf, JWT_SECRET_SHAPE, jwtSecretOf } from '../../core/upkeep/secrets.js';
import { bytes, choice, flag, GIB, type Key, KIB, list, MIB, optional, secret, TIB, text, whole } from './key-kinds.js';
import {
  ADDRESS_OR_RANGE,
  DOCS_PATH,
  filled,
  HTTP_ADDRESS,
  MAIL_ADDRESS,
  ONE_LINE,
  ORIGIN,
  TIME_ZONE,
} from './shapes.js';
import { SIGN_ON_KEYS } from './sign-on-keys.js';
import { SURFACE_KEYS } from './surface-keys.js';
import { TRACING_KEYS } from './tracing-keys.js';

export type { Key } from './key-kinds.js';

export const KEYS = {
  data_dir: text(
    './data',
    'Folder that holds the database, the cache, the secrets and the backups.',
    filled('the path of a folder, like ./data'),
  ),

  'application.host': text(
    '0.0.0.0',
    'Address to listen on; 127.0.0.1 keeps the server to this computer.',
    filled('an IP address or the name of a host, like 127.0.0.1'),
  ),
  'application.port': whole(8080, 0, 65535, 'Port to listen on; 0 takes any free one.'),
  'application.base_url': optional(
    'automatic',
    'Address at which clients reach the server when it is behind a proxy.',
    HTTP_ADDRESS,
  ),

  'http.backend': choice('auto', ['auto', 'uws', 'node'], 'Network engine; auto uses the fastest one available.'),
  'http.body_limit_bytes': bytes(2 * MIB, KIB, GIB, 'Largest request body accepted.'),
  'http.public_body_limit_bytes': bytes(16 * KIB, KIB, MIB, 'Largest request body of a caller who is not logged in.'),
  'http.upload_limit_bytes': bytes(
    16 * MIB,
    64 * KIB,
    256 * MIB,
    'Largest file upload, such as a cover; up to four of this size can arrive at the same time.',
  ),
  'http.bodies_in_flight_bytes': bytes(
    32 * MIB,
    MIB,
    64 * GIB,
    'Memory for all request bodies being received; callers without a login share half of it.',
  ),
  'http.answers_in_flight_bytes': bytes(
    96 * MIB,
    MIB,
    64 * GIB,
    'Memory for answers that slow clients have yet to read.',
  ),
  'http.connections': whole(
    4096,
    16,
    1_000_000,
    'Maximum number of open connections; fewer where the limit on open files is low.',
  ),
  'http.handler_timeout_ms': whole(60_000, 1000, 3_600_000, 'Time limit for answering a request.'),
  'http.trusted_proxies': list([], 'Proxies whose X-Forwarded-For header is trusted.', ADDRESS_OR_RANGE),

  'auth.jwt_secret': secret(
    'generated',
    'Secret that signs login tokens; generated in the data folder unless given.',
    JWT_SECRET_SHAPE,
    (given) => jwtSecretOf(given) !== null,
  ),
  'auth.jwt_expiry_hours': whole(24, 1, 8760, 'How long an access token lasts.'),
  'auth.refresh_token_enabled': flag(true, 'Issue refresh tokens, with which clients stay signed in.'),
  'auth.refresh_token_expiry_days': whole(30, 1, 3650, 'How long a session lasts after its last refresh.'),
  'auth.encryption_key': secret(
    'generated',
    'Key for encrypting stored credentials; generated unless given. Nothing is encrypted with it yet.',
    ENCRYPTION_KEY_SHAPE,
    (given) => encryptionKeyOf(given) !== null,
  ),
  'auth.argon2_memory_cost': whole(19_456, 1024, 1_048_576, 'Memory for hashing one password, in KiB.'),
  'auth.argon2_time_cost': whole(2, 1, 16, 'Passes over the memory for hashing one password.'),
  'auth.argon2_parallelism': whole(1, 1, 16, 'Threads for hashing one password.'),
  'auth.cookie_secure': flag(false, 'Send the login cookie over HTTPS only; turn this on behind TLS.'),

  'auth.registration_enabled': flag(false, 'Let people create accounts for themselves, as readers.'),
  'auth.email_confirmation_required': flag(
    false,
    'Accounts that people create are disabled until they verify their address with the link in a mail.',
  ),

  ...SIGN_ON_KEYS,

  'email.smtp_host': optional(
    'mails are written to DATA_DIR/mails',
    'SMTP server that sends mails.',
    filled('the name or IP address of a host, like mail.example.org'),
  ),
  'email.smtp_port': whole(587, 1, 65535, 'Port of that server; 465 speaks TLS from the start.'),
  'email.smtp_username': optional(
    'no login',
    'User name at that server; if set, TLS is required.',
    filled('the name of a user'),
  ),
  'email.smtp_password': secret('none', 'Password at that server.', 'a text'),
  'email.smtp_from_email': text('noreply@example.com', 'Sender address of mails.', MAIL_ADDRESS),
  'email.smtp_from_name': text('Longbox', 'Sender name of mails.', ONE_LINE),
  'email.verification_token_expiry_hours': whole(24, 1, 720, 'How long the link that verifies an address works.'),
  'email.verification_url_base': optional(
    'application.base_url',
    'Address that links in mails begin with.',
    HTTP_ADDRESS,
  ),

  'api.enable_api_docs': flag(false, 'Serve the interactive documentation of the API.'),
  'api.api_docs_path': text('/docs', 'Path of the interactive documentation.', DOCS_PATH),

  'api.cors_enabled': flag(true, 'Let pages of other sites use the API, with a token and never with cookies.'),
  'api.cors_origins': list(
    ['*'],
    'Origins whose pages may use the API; * means any. Only an origin named here may sign people in.',
    ORIGIN,
  ),

  'events.unnamed': flag(false, 'Send events without names and ids, for clients that only read data lines.'),

  'database.readers': whole(2, 2, 8, 'Database connections for reading.'),

  'cache.budget_bytes': bytes(2 * GIB, 16 * MIB, 64 * TIB, 'Disk space for covers and rendered pages.'),
  'cache.path': optional(
    'DATA_DIR/cache',
    'Folder of the cache; it must be on a local disk.',
    filled('the path of a folder, like /var/cache/longbox'),
  ),

  'pool.threads': whole(0, 0, 256, 'Threads for images and archives; 0 means the number of cores plus two.'),
  'pool.idle_timeout_ms': whole(30_000, 0, 86_400_000, 'Time after which an idle thread ends.'),
  'pool.queue_interactive': whole(1024, 1, 1_000_000, 'Maximum number of queued jobs that requests wait for.'),
  'pool.queue_background': whole(256, 1, 1_000_000, 'Maximum number of queued background jobs.'),
  'pool.job_deadline_ms': whole(
    120_000,
    1000,
    3_600_000,
    'Time limit of a job; for a background job, the longest time without progress.',
  ),

  'pages.table_cache_bytes': bytes(16 * MIB, 64 * KIB, 4 * GIB, 'Memory for the page tables of books in use.'),
  'pages.open_files': whole(64, 1, 65_536, 'Book files kept open between page requests.'),
  'pages.quality': whole(80, 1, 100, 'Quality of pages that are resized or converted.'),

  'thumbnail.max_dimension': whole(400, 16, 4096, 'Longest side of a cover thumbnail, in pixels.'),
  'thumbnail.jpeg_quality': whole(85, 1, 100, 'Quality of cover thumbnails.'),

  'scanner.max_concurrent_scans': whole(2, 1, 64, 'Maximum number of libraries scanned at the same time.'),
  'scanner.walk_batch_files': whole(20_000, 1, 1_000_000, 'Files compared with the database in one step.'),

  'scheduler.timezone': text('UTC', 'Default time zone of schedules.', TIME_ZONE),

  'limits.archive_entries': whole(20_000, 1, 1_000_000, 'Maximum number of files in one archive.'),
  'limits.entry_bytes': bytes(512 * MIB, KIB, 4 * GIB, 'Largest unpacked size of one file in an archive.'),
  'limits.entry_ratio': whole(200, 1, 100_000, 'Largest compression ratio of a file in an archive.'),
  'limits.image_pixels': whole(268_435_456, 1024, 4_294_967_296, 'Maximum number of pixels in an image.'),
  'limits.xml_bytes': bytes(16 * MIB, KIB, GIB, 'Largest metadata file that is read.'),

  'rate_limit.login_attempts': whole(10, 1, 1_000_000, 'Failed logins to one account from one address before a wait.'),
  'rate_limit.login_window_seconds': whole(
    60,
    1,
    86_400,
    'First wait after too many failed logins; each further failure doubles it, up to an hour.',
  ),
  'rate_limit.anonymous_rps': whole(10, 1, 1_000_000, 'Set-up and login requests allowed per second from one address.'),
  'rate_limit.anonymous_burst': whole(
    50,
    1,
    1_000_000,
    'Set-up and login requests allowed in one burst from one address.',
  ),

  ...SURFACE_KEYS,
  ...TRACING_KEYS,
  'metrics.host': text(
    '127.0.0.1',
    'Address on which metrics are served to Prometheus, without authentication.',
    filled('an IP address or the name of a host, like 127.0.0.1'),
  ),
  'metrics.port': whole(0, 0, 65535, 'Port on which metrics are served, at the path /metrics; 0 for none.'),

  'logging.level': choice('info', ['error', 'warn', 'info', 'debug'], 'Lowest severity that is logged.'),
  'logging.format': choice('text', ['text', 'json'], 'Log lines for people (text) or for programs (json).'),
} as const satisfies Record<string, Key>;

export type KeyName = keyof typeof KEYS;
type Value<K extends KeyName> = (typeof KEYS)[K]['preset'];

type Camel<S extends string> = S extends `${infer A}_${infer B}` ? `${A}${Capitalize<Camel<B>>}` : S;
type Head<W extends string> = W extends `${infer H}.${string}` ? H : W;
/** A name chosen in the configuration can be any string. */
type Named<H extends string> = H extends '<name>' ? string : Camel<H>;
type Below<P extends string> = {
  readonly [K in KeyName as K extends `${P}${infer W}` ? Named<Head<W>> : never]: K extends `${P}${infer W}`
    ? W extends `${infer H}.${string}`
      ? Below<`${P}${H}.`>
      : Value<K>
    : never;
};

/** The keys as an object: `application.base_url` is `config.application.baseUrl`. */
export type Config = Below<''>;

export const isKeyName = (name: string): name is KeyName => Object.hasOwn(KEYS, name);

/** The type of a key is one of many; this widens it so that all can be treated alike. */
export const keyOf = (name: KeyName): Key => KEYS[name];

export const KEY_NAMES: readonly KeyName[] = Object.keys(KEYS).filter(isKeyName);

/** Stands in keys for a name chosen in the configuration. */
const NAME = '<name>';
export const NAMED_SECTION = 'auth.oidc.providers';
export const OWN_NAME = '[a-z0-9]+(?:[_\\-][a-z0-9]+)*';
const NAMED_PATH = new RegExp(`^${NAMED_SECTION.replaceAll('.', '\\.')}\\.(${OWN_NAME})(?=\\.|$)`);

/** The key or section of a path: chosen names become `<name>`. */
export const generalOf = (path: string): string => path.replace(NAMED_PATH, `${NAMED_SECTION}.${NAME}`);

/** The name in a path; undefined where there is none. */
export const ownNameIn = (path: string): string | undefined => NAMED_PATH.exec(path)?.[1];

export const withOwnName = (key: KeyName, name: string): string => key.replace(NAME, name);

export const isNamed = (key: string): boolean => key.includes(NAME);

/** `scanner.max_concurrent_scans` is SVC_SCANNER__MAX_CONCURRENT_SCANS. */
export const variableOf = (name: KeyName): string => `SVC_${name.replaceAll('.', '__').toUpperCase()}`;

/** The path that a variable with a chosen name in it stands for. */
export const pathOfVariable = (variable: string): string | undefined => {
  for (const key of KEY_NAMES.filter(isNamed)) {
    const pattern = variableOf(key).replace(NAME.toUpperCase(), '([A-Z0-9]+(?:_[A-Z0-9]+)*)');
    const name = new RegExp(`^${pattern}$`).exec(variable)?.[1];
    if (name !== undefined) return withOwnName(key, name.toLowerCase());
  }
  return undefined;
};

export const camelOf = (word: string): string =>
  word.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());

const UNITS = [
  ['TiB', TIB],
  ['GiB', GIB],
  ['MiB', MIB],
  ['KiB', KIB],
] as const;

export const sizeText = (size: number): string => {
  const unit = UNITS.find(([, factor]) => size >= factor && size % factor === 0);
  return unit === undefined ? String(size) : `${size / unit[1]} ${unit[0]}`;
};

/** The bytes of `2 GiB` or `512MiB`; undefined for anything else. */
export const sizeOf = (written: string): number | undefined => {
  const [, digits, word] = /^(\d{1,15}) ?([KMGT]iB)$/i.exec(written.trim()) ?? [];
  const factor = UNITS.find(([unit]) => unit.toLowerCase() === word?.toLowerCase())?.[1];
  return digits === undefined || factor === undefined ? undefined : Number(digits) * factor;
};

/** What a value of this key has to be; follows the word "expected" in messages. */
export const expectationOf = (key: Key): string => {
  switch (key.type) {
    case 'text':
    case 'list':
      return key.shape.expects;
    case 'ratio':
      return 'a number from 0 to 1, like 0.1';
    case 'flag':
      return 'true or false';
    case 'choice':
      return `one of ${key.words.join(', ')}`;
    case 'whole':
      return `a whole number from ${key.min} to ${key.max}`;
    case 'bytes':
      return `a size from ${sizeText(key.min)} to ${sizeText(key.max)}, as bytes or like 512MiB`;
  }
};
