// Keys with dots as nested groups.

export type Tree<T> = Map<string, Tree<T> | T>;

/** Puts a value below the groups that its path names. */
export const put = <T>(tree: Tree<T>, words: readonly string[], value: T): void => {
  const [word = '', ...below] = words;
  if (below.length === 0) {
    tree.set(word, value);
    return;
  }
  const found = tree.get(word);
  const next: Tree<T> = found instanceof Map ? found : new Map();
  tree.set(word, next);
  put(next, below, value);
};
