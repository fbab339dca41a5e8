// The values of all keys, and the frozen object that the program reads them from.
import {
  type Config,
  camelOf,
  isNamed,
  KEY_NAMES,
  keyOf,
  NAMED_SECTION,
  ownNameIn,
  withOwnName,
} from './config-keys.js';
import { put, type Tree } from './config-tree.js';

export type Value = string | number | boolean | readonly string[] | null;

const frozen = (tree: Tree<Value>): object =>
  Object.freeze(Object.fromEntries([...tree].map(([word, one]) => [word, one instanceof Map ? frozen(one) : one])));

const NAMED_WORDS = NAMED_SECTION.split('.');

export const build = (values: ReadonlyMap<string, Value>): Config => {
  const [first = '', ...rest] = NAMED_WORDS;
  // There, also when nothing is named.
  const empty = rest.reduceRight<Tree<Value>>((below, word) => new Map([[word, below]]), new Map());
  const tree: Tree<Value> = new Map([[first, empty]]);
  for (const [path, value] of values) {
    const ownAt = ownNameIn(path) === undefined ? -1 : NAMED_WORDS.length;
    const words = path.split('.').map((word, index) => (index === ownAt ? word : camelOf(word)));
    put(tree, words, value);
  }
  // The only cast: the type is computed from the table against which these values were checked.
  return frozen(tree) as Config;
};

/** The defaults, also those of everything that the owner has named in one of these paths. */
export const presets = (paths: readonly string[]): Map<string, Value> => {
  const names = [...new Set(paths.flatMap((path) => ownNameIn(path) ?? []))];
  const pathsOf = (key: (typeof KEY_NAMES)[number]): readonly string[] =>
    isNamed(key) ? names.map((name) => withOwnName(key, name)) : [key];
  return new Map(KEY_NAMES.flatMap((key) => pathsOf(key).map((path): [string, Value] => [path, keyOf(key).preset])));
};
