// As much of PromQL as docs/grafana.json uses, over scrapes in memory: selectors, rate, sum by, topk, histogram_quantile, `+` and `/`.

export interface Series {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** One scrape, and when it was. */
export interface Scrape {
  readonly atS: number;
  readonly series: readonly Series[];
}

type Vector = readonly Omit<Series, 'name'>[];

const LINE = /^(\w+)(?:\{(.*)\})? (\S+)$/gm;

export const parseText = (text: string, atS: number): Scrape => ({
  atS,
  series: [...text.matchAll(LINE)].map(([, name = '', labels = '', value = '']) => ({
    name,
    labels: Object.fromEntries([...labels.matchAll(/(\w+)="([^"]*)"/g)].map(([, key, word]) => [key, word])),
    value: Number(value),
  })),
});

/** Over which `rate` looks back. */
const WINDOW_S = 30;

const keyOf = (labels: Series['labels']): string => JSON.stringify(Object.entries(labels).sort());

const picked = (labels: Series['labels'], names: readonly string[]): Series['labels'] =>
  Object.fromEntries(names.map((name) => [name, labels[name] ?? '']));

const sumBy = (vector: Vector, names: readonly string[]): Vector => {
  const sums = new Map<string, { labels: Series['labels']; value: number }>();
  for (const { labels, value } of vector) {
    const kept = picked(labels, names);
    const key = keyOf(kept);
    sums.set(key, { labels: kept, value: (sums.get(key)?.value ?? 0) + value });
  }
  return [...sums.values()];
};

/** Linear within a bucket, as Prometheus does it. */
const quantileOf = (share: number, buckets: readonly (readonly [le: number, count: number])[]): number => {
  const wanted = share * (buckets.at(-1)?.[1] ?? 0);
  let [below, seen] = [0, 0];
  for (const [le, count] of buckets) {
    if (count >= wanted && count > seen)
      return le === Number.POSITIVE_INFINITY ? below : below + ((le - below) * (wanted - seen)) / (count - seen);
    [below, seen] = [le, count];
  }
  return Number.NaN;
};

const quantiles = (share: number, vector: Vector): Vector => {
  const groups = new Map<string, { labels: Series['labels']; buckets: [number, number][] }>();
  for (const { labels, value } of vector) {
    const { le = '', ...rest } = labels;
    const group = groups.get(keyOf(rest)) ?? { labels: rest, buckets: [] };
    group.buckets.push([le === '+Inf' ? Number.POSITIVE_INFINITY : Number(le), value]);
    groups.set(keyOf(rest), group);
  }
  return [...groups.values()].map(({ labels, buckets }) => ({
    labels,
    value: quantileOf(
      share,
      buckets.sort(([a], [b]) => a - b),
    ),
  }));
};

const combined = (left: Vector, right: Vector, act: (a: number, b: number) => number): Vector =>
  left.flatMap(({ labels, value }) => {
    const other = right.find((one) => keyOf(one.labels) === keyOf(labels));
    return other === undefined ? [] : [{ labels, value: act(value, other.value) }];
  });

const isMatch = (labels: Series['labels'], matchers: string): boolean =>
  [...matchers.matchAll(/(\w+)(=~|=)"([^"]*)"/g)].every(([, name = '', how, wanted = '']) => {
    if (wanted === '$instance') return true;
    const found = labels[name] ?? '';
    return how === '=' ? found === wanted : new RegExp(`^(?:${wanted})$`).test(found);
  });

/** Reads one expression from left to right and evaluates it as of one scrape. */
class Evaluation {
  readonly #scrapes: readonly Scrape[];
  #rest: string;

  constructor(expression: string, scrapes: readonly Scrape[]) {
    this.#rest = expression.trim();
    this.#scrapes = scrapes;
  }

  sum(): Vector {
    let left = this.#one();
    for (;;) {
      if (this.#take(/^\+/) !== null) left = combined(left, this.#one(), (a, b) => a + b);
      else if (this.#take(/^\//) !== null) left = combined(left, this.#one(), (a, b) => a / b);
      else return left;
    }
  }

  #take(pattern: RegExp): RegExpExecArray | null {
    const found = pattern.exec(this.#rest);
    if (found !== null) this.#rest = this.#rest.slice(found[0].length).trimStart();
    return found;
  }

  #closed(vector: Vector): Vector {
    if (this.#take(/^\)/) === null) throw new Error(`a closing bracket is missing before: ${this.#rest}`);
    return vector;
  }

  #one(): Vector {
    if (this.#take(/^\(/) !== null) return this.#closed(this.sum());
    const top = this.#take(/^topk\((\d+),/);
    if (top !== null) return this.#closed([...this.sum()].sort((a, b) => b.value - a.value)).slice(0, Number(top[1]));
    const quantile = this.#take(/^histogram_quantile\(([\d.]+),/);
    if (quantile !== null) return quantiles(Number(quantile[1]), this.#closed(this.sum()));
    const by = this.#take(/^sum(?: by \(([\w, ]+)\))? ?\(/);
    if (by !== null) return sumBy(this.#closed(this.sum()), by[1]?.split(',').map((name) => name.trim()) ?? []);
    if (this.#take(/^rate\(/) !== null) return this.#closed(this.#rate());
    return this.#selected(this.#scrapes.at(-1));
  }

  #selected(scrape: Scrape | undefined): Vector {
    const found = this.#take(/^(\w+)(?:\{([^}]*)\})?(?:\[[^\]]*\])?/);
    if (found === null) throw new Error(`no metric at: ${this.#rest}`);
    const [, name, matchers = ''] = found;
    return (scrape?.series ?? []).filter((one) => one.name === name && isMatch(one.labels, matchers));
  }

  #rate(): Vector {
    const last = this.#scrapes.at(-1);
    const first = this.#scrapes.find(({ atS }) => atS >= (last?.atS ?? 0) - WINDOW_S);
    const before = this.#rest;
    const now = this.#selected(last);
    const after = this.#rest;
    this.#rest = before;
    const then = new Map(this.#selected(first).map(({ labels, value }) => [keyOf(labels), value]));
    this.#rest = after;
    const seconds = (last?.atS ?? 0) - (first?.atS ?? 0);
    if (seconds <= 0) return [];
    return now.map(({ labels, value }) => ({ labels, value: (value - (then.get(keyOf(labels)) ?? 0)) / seconds }));
  }
}

/** The value of an expression as of the last of these scrapes. */
export const evaluate = (expression: string, scrapes: readonly Scrape[]): Vector =>
  new Evaluation(expression, scrapes).sum();
