// The help texts, at most 80 columns wide. Knows the commands and the configuration table; prints nothing.

import { KEY_NAMES, type Key, type KeyName, keyOf, sizeText, variableOf } from '../config/config-keys.js';
import type { Topic } from './command-line.js';

const COLUMNS = 80;

type Row = readonly [left: string, right: string];

/** Words broken into lines of at most `width` characters. */
const wrap = (text: string, width: number): readonly string[] => {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    if (line !== '' && line.length + 1 + word.length > width) {
      lines.push(line);
      line = word;
    } else line = line === '' ? word : `${line} ${word}`;
  }
  return [...lines, line];
};

const indented = (text: string, by: number): string =>
  wrap(text, COLUMNS - by)
    .map((line) => `${' '.repeat(by)}${line}`)
    .join('\n');

/** Two aligned columns below a heading. */
const section = (heading: string, rows: readonly Row[]): string => {
  const width = Math.max(...rows.map(([left]) => left.length)) + 2;
  const lines = rows.flatMap(([left, right]) =>
    wrap(right, COLUMNS - 2 - width).map((line, index) => `  ${(index === 0 ? left : '').padEnd(width)}${line}`),
  );
  return [heading, ...lines.map((line) => line.trimEnd())].join('\n');
};

const paragraph = (text: string): string => indented(text, 0);

const page = (...parts: readonly string[]): string => `${parts.join('\n\n')}\n`;

const HELP: Row = ['-h, --help', 'show help, also for one command'];
const DATA: Row = ['--data DIR', 'folder for database, cache and secrets (./data)'];
const CONFIG: Row = ['-c, --config FILE', 'read settings from a YAML or JSON file'];

const OVERVIEW = page(
  'Longbox, a library server for comics, manga and books.',
  section('Examples', [
    ['longbox /srv/comics', 'serve a folder and scan it'],
    ['longbox /srv/comics /srv/manga --port 9000', 'two libraries, another port'],
    ['longbox scan /srv/comics', 'measure the reading speed here'],
    ['longbox backup longbox.tar', 'back up the database and the uploaded images'],
  ]),
  section('Commands', [
    ['serve [DIR...]', 'run the server; the default command'],
    ['scan DIR', 'read a folder without a database and report the speed'],
    ['check', 'check the database'],
    ['backup FILE', 'back up the database and the uploads to a file'],
    ['restore FILE', 'restore a backup'],
    ['user reset-password NAME', 'set a new password for a user'],
    ['openapi', 'write the API description to a file'],
    ['config', 'list every setting with its default'],
  ]),
  section('Options', [DATA, CONFIG, HELP, ['--version', 'show the version']]),
  paragraph(
    'Options of one command: longbox COMMAND --help. If a folder has the name of a command, write it as ./scan.',
  ),
);

const SERVE = page(
  'longbox [serve] [DIR...] [options]',
  paragraph(
    'Runs the server. Every folder given becomes a library and is scanned. Libraries are remembered, so the next start needs no folder.',
  ),
  section('Examples', [
    ['longbox /srv/comics', 'serve a folder on port 8080'],
    ['longbox --data /var/lib/longbox', 'serve the libraries added before'],
    ['longbox /srv/comics --host 127.0.0.1', 'for this computer only'],
  ]),
  section('Options', [
    DATA,
    ['--host ADDRESS', 'address to listen on (0.0.0.0)'],
    ['--port NUMBER', 'port to listen on (8080); 0 takes any free one'],
    CONFIG,
    HELP,
  ]),
  paragraph(
    'All other settings come from the --config file or from environment variables that begin with SVC_; longbox config lists them. Options override variables, variables override the file.',
  ),
);

const SCAN = page(
  'longbox scan DIR [--json] [--strict]',
  paragraph(
    'Reads every book in a folder without a database and reports what was found, what is damaged, and how fast it went.',
  ),
  section('Examples', [
    ['longbox scan /srv/comics', 'a report to read'],
    ['longbox scan /srv/comics --json', 'the same as JSON'],
  ]),
  section('Options', [
    ['-j, --json', 'write one JSON object'],
    ['--strict', 'exit with 1 if a book cannot be read'],
    CONFIG,
    HELP,
  ]),
);

const OPENAPI = page(
  'longbox openapi [--output FILE] [--format json|yaml]',
  'Writes the OpenAPI description of the server and exits.',
  section('Examples', [
    ['longbox openapi', 'write openapi.json'],
    ['longbox openapi --output api.yaml', 'write YAML'],
  ]),
  section('Options', [
    ['-o, --output FILE', 'file to write (openapi.json)'],
    ['-f, --format FORMAT', 'json or yaml; by default from the file name'],
    HELP,
  ]),
);

/** The commands that take at most one word and the usual options. */
const simple = (usage: string, say: string, example: Row): string =>
  page(
    `longbox ${usage} [options]`,
    paragraph(say),
    section('Example', [example]),
    section('Options', [DATA, CONFIG, HELP]),
  );

type GroupName = KeyName extends infer K ? (K extends `${infer G}.${string}` ? G : '') : never;

const HEADINGS = {
  '': 'General',
  application: 'Address',
  http: 'Network',
  auth: 'Logins',
  email: 'Mail',
  api: 'API',
  komga_api: 'Comic-server API',
  events: 'Events',
  opds: 'Catalogues for reader apps',
  database: 'Database',
  cache: 'Cache',
  pool: 'Threads',
  pages: 'Pages',
  thumbnail: 'Covers',
  scheduler: 'Schedules',
  scanner: 'Scanner',
  limits: 'Limits on books',
  rate_limit: 'Limits on logins',
  tracing: 'Tracing',
  koreader_api: 'E-reader sync',
  web: 'Web client',
  metrics: 'Metrics',
  logging: 'Log',
} as const satisfies Record<GroupName, string>;

const presetText = (key: Key): string => {
  if (key.type === 'bytes') return sizeText(key.preset);
  if (key.type === 'list') return key.preset.length === 0 ? '(none)' : key.preset.join(',');
  if (key.type === 'text' && key.preset === null) return `(${key.unset})`;
  return String(key.preset);
};

const boundsText = (key: Key): string => {
  if (key.type === 'whole') return ` (${key.min} to ${key.max})`;
  if (key.type === 'bytes') return ` (${sizeText(key.min)} to ${sizeText(key.max)})`;
  if (key.type === 'ratio') return ' (0 to 1)';
  return key.type === 'choice' ? ` (${key.words.join(', ')})` : '';
};

const VARIABLE_COLUMN = 42;

/** Two lines per key: name, default and variable, then its purpose; three where the first would be too long. */
const settingText = (name: KeyName): string => {
  const key = keyOf(name);
  const [first, variable] = [`  ${name} = ${presetText(key)}`, variableOf(name)];
  const isLong = Math.max(first.length, VARIABLE_COLUMN) + 1 + variable.length > COLUMNS;
  const head = isLong ? `${first}\n      ${variable}` : `${first.padEnd(VARIABLE_COLUMN)} ${variable}`;
  return `${head}\n${indented(`${key.say}${boundsText(key)}`, 6)}`;
};

const settings = (): string => {
  const groups = Object.entries(HEADINGS).map(([group, heading]) => {
    const names = KEY_NAMES.filter((name) => (name.includes('.') ? name.startsWith(`${group}.`) : group === ''));
    return [heading, ...names.map(settingText)].join('\n');
  });
  return page(
    'Longbox settings with their defaults',
    paragraph(
      'Later sources override earlier ones: defaults, the file given by --config FILE (or SVC_CONFIG), environment variables, options. An empty variable counts as unset. With an unknown name the server does not start.',
    ),
    ['Examples', '  SVC_APPLICATION__PORT=9000 longbox /srv/comics', '  longbox --config longbox.yaml'].join('\n'),
    ['A file', '  application:', '    port: 9000', '  cache:', '    budget_bytes: 8 GiB'].join('\n'),
    paragraph(
      'Sizes are in bytes, or have a unit as in 512MiB. Lists are written [a, b] in a file, and comma-separated or as JSON in a variable. SVC_ENCRYPTION_KEY is short for SVC_AUTH__ENCRYPTION_KEY.',
    ),
    ...groups,
  );
};

const PAGES: Readonly<Record<Topic, () => string>> = {
  serve: () => SERVE,
  scan: () => SCAN,
  check: () =>
    simple(
      'check',
      'Checks the integrity of the database. The exit status is 1 if something is wrong. The cache is not checked: the server rebuilds a damaged one.',
      ['longbox check --data /var/lib/longbox', 'check before an upgrade'],
    ),
  backup: () =>
    simple(
      'backup FILE',
      'Writes the database and the uploaded images to a tar file, even while a server is running. The folder secrets/ is not included: copy it too.',
      ['longbox backup /mnt/usb/longbox.tar', 'keep a copy elsewhere'],
    ),
  restore: () =>
    simple(
      'restore FILE',
      'Replaces the database with that of a backup and restores its uploaded images; a copy of the database alone (.db) also works. The existing data is kept in backups/. Stop the server first.',
      ['longbox restore /mnt/usb/longbox.tar', 'restore that backup'],
    ),
  user: () =>
    simple(
      'user reset-password NAME',
      'Sets a new password for a user, for when no one can sign in any more. Prompts for the password, or reads it from standard input.',
      ['longbox user reset-password anna', 'a new password for anna'],
    ),
  openapi: () => OPENAPI,
  config: settings,
};

/** The help for one command, or the overview for null. Ends with a line break. */
export const helpText = (topic: Topic | null): string => (topic === null ? OVERVIEW : PAGES[topic]());
