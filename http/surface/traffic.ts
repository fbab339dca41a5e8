// How often each row was answered, with which status, and how long it took: numbers in two arrays, so that a page request costs an increment
// or three. They are read when somebody asks for the measurements.
import { cumulated, placeIn } from '../../core/model/tally.js';
import type { Reply } from '../server/adapter.js';
import type { Route } from './route.js';
import type { CompiledRoute, Router } from './router.js';
import { pathOf } from './surface.js';

/** Upper bounds of the answer times, in milliseconds. */
export const ANSWER_MS = [0.25, 0.5, 1, 2.5, 5, 10, 25, 50, 100, 250, 500, 1000, 2500, 5000, 10_000, 30_000] as const;

const CLASSES = ['1xx', '2xx', '3xx', '4xx', '5xx'] as const;
const TIMES = ANSWER_MS.length + 1;

export interface RouteTraffic {
  readonly method: string;
  /** The template, never a path that was requested: clients must not be able to make new ones. */
  readonly route: string;
  readonly answers: readonly { readonly status: string; readonly count: number }[];
  /** How many took at most each of ANSWER_MS, and then all. */
  readonly within: readonly number[];
  readonly seconds: number;
}

const UNMATCHED = { method: '*', route: 'unmatched' } as const;
const PREFLIGHT = { method: 'OPTIONS', route: '*' } as const;

export class Traffic {
  /** By row: one that is served at several addresses counts as one. */
  readonly #places = new Map<Route, number>();
  readonly #names: { readonly method: string; readonly route: string }[] = [UNMATCHED, PREFLIGHT];
  readonly #statuses: Float64Array;
  readonly #times: Float64Array;
  readonly #sums: Float64Array;
  /** Answers that were made before or beside dispatch, by class. */
  readonly #refusals = new Float64Array(CLASSES.length);

  constructor(router: Pick<Router, 'all'>) {
    for (const compiled of router.all) {
      this.#places.set(compiled.route, this.#names.length);
      this.#names.push({ method: compiled.route.method, route: pathOf(compiled.surface, compiled.route) });
    }
    const rows = this.#names.length;
    this.#statuses = new Float64Array(rows * CLASSES.length);
    this.#times = new Float64Array(rows * TIMES);
    this.#sums = new Float64Array(rows);
  }

  answered(compiled: CompiledRoute | null, method: string, status: number, ms: number): void {
    const row = method === 'OPTIONS' ? 1 : compiled === null ? 0 : (this.#places.get(compiled.route) ?? 0);
    increment(this.#statuses, row * CLASSES.length + classOf(status));
    increment(this.#times, row * TIMES + placeIn(ANSWER_MS, ms));
    this.#sums[row] = (this.#sums[row] ?? 0) + ms;
  }

  refused(reply: Reply): Reply {
    increment(this.#refusals, classOf(reply.status));
    return reply;
  }

  /** Rows that were ever answered. */
  routes(): readonly RouteTraffic[] {
    return this.#names.map((name, row) => this.#of(name, row)).filter(({ answers }) => answers.length > 0);
  }

  refusals(): RouteTraffic['answers'] {
    return named(this.#refusals);
  }

  #of(name: { readonly method: string; readonly route: string }, row: number): RouteTraffic {
    const statuses = this.#statuses.subarray(row * CLASSES.length, (row + 1) * CLASSES.length);
    const within = cumulated(this.#times.subarray(row * TIMES, (row + 1) * TIMES));
    return { ...name, answers: named(statuses), within, seconds: (this.#sums[row] ?? 0) / 1000 };
  }
}

const increment = (counts: Float64Array, at: number): void => {
  counts[at] = (counts[at] ?? 0) + 1;
};

const classOf = (status: number): number => Math.min(Math.max(Math.floor(status / 100), 1), CLASSES.length) - 1;

const named = (counts: Float64Array): RouteTraffic['answers'] =>
  CLASSES.map((status, at) => ({ status, count: counts[at] ?? 0 })).filter(({ count }) => count > 0);
