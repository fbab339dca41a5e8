// Turns arguments into a typed command. Pure: it opens nothing and prints nothing; http/cli/main.ts does what the command says.
import { parseArgs } from 'node:util';
import { closestOf } from '../config/closest.js';
import { faultOfOverride, type Override } from '../config/config.js';
import type { KeyName } from '../config/config-keys.js';

export const TOPICS = ['serve', 'scan', 'check', 'backup', 'restore', 'user', 'openapi', 'config'] as const;
export type Topic = (typeof TOPICS)[number];

/** What most commands share: where the configuration comes from. */
export interface Setting {
  /** The file of `--config`; null when none was named. */
  readonly configFile: string | null;
  readonly overrides: readonly Override[];
}

export type Command =
  | ({ readonly name: 'serve'; readonly folders: readonly string[] } & Setting)
  | ({ readonly name: 'scan'; readonly folder: string; readonly json: boolean; readonly strict: boolean } & Setting)
  | ({ readonly name: 'check' } & Setting)
  | ({ readonly name: 'backup' | 'restore'; readonly file: string } & Setting)
  | ({ readonly name: 'reset-password'; readonly userName: string } & Setting)
  | { readonly name: 'openapi'; readonly output: string; readonly format: 'json' | 'yaml' }
  | { readonly name: 'help'; readonly topic: Topic | null }
  | { readonly name: 'version' }
  /** The arguments make no sense: print the message to stderr and exit with USAGE_EXIT. */
  | { readonly name: 'wrong'; readonly message: string };

export const USAGE_EXIT = 2;

const OPTIONS = {
  data: { type: 'string' },
  host: { type: 'string' },
  port: { type: 'string' },
  config: { type: 'string', short: 'c' },
  json: { type: 'boolean', short: 'j' },
  strict: { type: 'boolean' },
  output: { type: 'string', short: 'o' },
  format: { type: 'string', short: 'f' },
  help: { type: 'boolean', short: 'h' },
  version: { type: 'boolean' },
} as const;

type OptionName = keyof typeof OPTIONS;

/** Options that every command takes are not repeated here. */
const ALLOWED: Readonly<Record<Topic, readonly OptionName[]>> = {
  serve: ['data', 'host', 'port', 'config'],
  scan: ['json', 'strict', 'config'],
  check: ['data', 'config'],
  backup: ['data', 'config'],
  restore: ['data', 'config'],
  user: ['data', 'config'],
  openapi: ['output', 'format'],
  config: [],
};
const EVERYWHERE: readonly OptionName[] = ['help', 'version'];

const KEY_OF_OPTION: readonly (readonly [OptionName, KeyName])[] = [
  ['data', 'data_dir'],
  ['host', 'application.host'],
  ['port', 'application.port'],
];

/** Arguments split into words and options, but not yet interpreted. */
interface Sorted {
  readonly words: readonly string[];
  /** Words before `--`: only these can name a command. */
  readonly commandWords: number;
  readonly values: ReadonlyMap<OptionName, string>;
}

class Wrong extends Error {}

const isOption = (name: string): name is OptionName => Object.hasOwn(OPTIONS, name);
const isTopic = (word: string): word is Topic => TOPICS.some((topic) => topic === word);

const unknownOption = (rawName: string): Wrong => {
  const { word, steps } = closestOf(
    rawName,
    Object.keys(OPTIONS).map((name) => `--${name}`),
  );
  // Of something else altogether, the closest one would only puzzle.
  return new Wrong(`There is no option ${rawName}.${steps * 2 < rawName.length ? ` The closest one is ${word}.` : ''}`);
};

const sortArguments = (argv: readonly string[]): Sorted => {
  // Not strict: the parser's own messages suggest no alternative, so ours are produced here.
  const { tokens } = parseArgs({
    args: [...argv],
    options: OPTIONS,
    strict: false,
    allowPositionals: true,
    tokens: true,
  });
  const words: string[] = [];
  const values = new Map<OptionName, string>();
  let commandWords = Infinity;
  for (const token of tokens) {
    if (token.kind === 'option-terminator') commandWords = words.length;
    else if (token.kind === 'positional' && token.value === '') {
      throw new Wrong('One of the arguments is empty; is a shell variable unset?');
    } else if (token.kind === 'positional') words.push(token.value);
    else if (!isOption(token.name)) throw unknownOption(token.rawName);
    else if (OPTIONS[token.name].type === 'boolean') {
      if (token.value !== undefined) throw new Wrong(`The option ${token.rawName} takes no value.`);
      values.set(token.name, '');
    } else {
      const value = token.value ?? '';
      if (value === '') throw new Wrong(`The option ${token.rawName} needs a value.`);
      if (/^-./.test(value) && token.inlineValue !== true) {
        throw new Wrong(
          `The option ${token.rawName} needs a value. If it begins with a dash, write ${token.rawName}=${value}.`,
        );
      }
      values.set(token.name, value);
    }
  }
  return { words, commandWords, values };
};

const looksLikePath = (word: string): boolean => /[/\\]/.test(word) || /^[.~]/.test(word);

/** A bare word this close to a command counts as a typo; any other word is a folder to serve. */
const isSlip = (word: string, steps: number): boolean => steps <= 2 && steps * 2 < word.length;

interface Chosen {
  readonly topic: Topic;
  /** What follows the command name. */
  readonly rest: readonly string[];
  readonly isHelp: boolean;
}

/** The first word names the command; without one (or with a folder there) the command is serve. */
const chooseTopic = ({ words, commandWords, values }: Sorted): Chosen => {
  const [first, ...rest] = words;
  const isHelp = values.has('help');
  if (first === undefined || commandWords === 0 || looksLikePath(first)) return { topic: 'serve', rest: words, isHelp };
  if (isTopic(first)) return { topic: first, rest, isHelp };
  const { word, steps } = closestOf(first, TOPICS);
  if (!isSlip(first, steps)) return { topic: 'serve', rest: words, isHelp };
  throw new Wrong(
    `There is no command ${first}. The closest one is ${word}. For a folder of that name write ./${first}.`,
  );
};

const checkOptions = (topic: Topic, values: Sorted['values']): void => {
  const allowed = [...ALLOWED[topic], ...EVERYWHERE];
  const stray = [...values.keys()].find((name) => !allowed.includes(name));
  if (stray === undefined) return;
  const others = allowed.map((name) => `--${name}`).join(', ');
  throw new Wrong(`The command ${topic} has no option --${stray}. It takes ${others}.`);
};

const settingOf = (values: Sorted['values']): Setting => {
  const overrides = KEY_OF_OPTION.flatMap(([option, key]): readonly Override[] => {
    const text = values.get(option);
    return text === undefined ? [] : [{ key, text, from: `option --${option}` }];
  });
  const fault = overrides.map(faultOfOverride).find((sentence) => sentence !== null);
  if (fault !== undefined) throw new Wrong(fault);
  return { configFile: values.get('config') ?? null, overrides };
};

/** Exactly one word, or a message that says what is missing or extra. */
const onlyWord = (words: readonly string[], usage: string): string => {
  const [word, extra] = words;
  if (word === undefined) throw new Wrong(`An argument is missing. Write: longbox ${usage}`);
  if (extra !== undefined)
    throw new Wrong(`${JSON.stringify(extra)} is one argument too many. Write: longbox ${usage}`);
  return word;
};

const noWords = (words: readonly string[], usage: string): void => {
  if (words[0] !== undefined) onlyWord(['', ...words], usage);
};

const userCommand = (rest: readonly string[], setting: Setting): Command => {
  const usage = 'user reset-password NAME';
  const [verb, ...names] = rest;
  if (verb !== undefined && verb !== 'reset-password') {
    throw new Wrong(
      `There is no command user ${verb}. The closest one is user reset-password. Write: longbox ${usage}`,
    );
  }
  return { name: 'reset-password', userName: onlyWord(names, usage), ...setting };
};

const openapiCommand = (rest: readonly string[], values: Sorted['values']): Command => {
  noWords(rest, 'openapi --output FILE --format json|yaml');
  const output = values.get('output') ?? 'openapi.json';
  const format = values.get('format') ?? (/\.ya?ml$/i.test(output) ? 'yaml' : 'json');
  if (format === 'json' || format === 'yaml') return { name: 'openapi', output, format };
  throw new Wrong(`The option --format takes json or yaml, not ${JSON.stringify(format)}.`);
};

type Build = (rest: readonly string[], values: Sorted['values']) => Command;

const BUILD = {
  serve: (folders, values) => ({ name: 'serve', folders, ...settingOf(values) }),
  scan: (rest, values) => {
    const folder = onlyWord(rest, 'scan DIR [--json] [--strict]');
    return { name: 'scan', folder, json: values.has('json'), strict: values.has('strict'), ...settingOf(values) };
  },
  check: (rest, values) => {
    noWords(rest, 'check');
    return { name: 'check', ...settingOf(values) };
  },
  backup: (rest, values) => ({ name: 'backup', file: onlyWord(rest, 'backup FILE'), ...settingOf(values) }),
  restore: (rest, values) => ({ name: 'restore', file: onlyWord(rest, 'restore FILE'), ...settingOf(values) }),
  user: (rest, values) => userCommand(rest, settingOf(values)),
  openapi: openapiCommand,
  config: (rest) => {
    noWords(rest, 'config');
    return { name: 'help', topic: 'config' };
  },
} as const satisfies Record<Topic, Build>;

const understand = (sorted: Sorted): Command => {
  const [first, second] = sorted.words;
  if (sorted.values.has('version')) return { name: 'version' };
  if (first === 'help' && sorted.commandWords > 0) {
    return { name: 'help', topic: second !== undefined && isTopic(second) ? second : null };
  }
  const { topic, rest, isHelp } = chooseTopic(sorted);
  if (isHelp) return { name: 'help', topic: first === topic ? topic : null };
  checkOptions(topic, sorted.values);
  return BUILD[topic](rest, sorted.values);
};

/** Turns the arguments after the program's name into a command. Never throws: invalid arguments become the command 'wrong'. */
export const parseCommandLine = (argv: readonly string[]): Command => {
  try {
    return understand(sortArguments(argv));
  } catch (thrown) {
    if (!(thrown instanceof Wrong)) throw thrown;
    return { name: 'wrong', message: `${thrown.message}\nlongbox --help shows every command.` };
  }
};
