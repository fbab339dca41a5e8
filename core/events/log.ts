// The latest events of one stream for one audience. Ids count per audience, so that they do not reveal how many events others got.
import { randomBytes } from 'node:crypto';
import type { Told } from './news.js';

/** Events taken at once: together they are one chunk of the response. */
const SLICE = 64;

/** Consecutive events, numbered from `first`. Shared by all clients at the same position. */
export interface Slice {
  readonly tag: string;
  readonly first: number;
  readonly told: readonly Told[];
}

export class Log {
  /** Unique to this log and this run of the server. */
  readonly tag: string;
  #first = 1;
  #told: Told[] = [];
  readonly #slices = new Map<number, Slice>();

  constructor(startedAt: number) {
    this.tag = `${startedAt.toString(36)}.${randomBytes(6).toString('hex')}`;
  }

  /** The number of the next event. */
  get end(): number {
    return this.#first + this.#told.length;
  }

  append(told: readonly Told[]): void {
    if (told.length === 0) return;
    this.#told.push(...told);
    this.#slices.clear();
  }

  /** Drops events before an ordinal. */
  trim(ordinal: number): void {
    let gone = 0;
    while (gone < this.#told.length && (this.#told[gone]?.ordinal ?? ordinal) < ordinal) gone += 1;
    if (gone === 0) return;
    this.#told = this.#told.slice(gone);
    this.#first += gone;
    this.#slices.clear();
  }

  has(number: number): boolean {
    return number >= this.#first;
  }

  from(number: number): Slice {
    const known = this.#slices.get(number);
    if (known !== undefined) return known;
    const at = number - this.#first;
    const slice = { tag: this.tag, first: number, told: this.#told.slice(at, at + SLICE) };
    this.#slices.set(number, slice);
    return slice;
  }

  /** The position after the event with this id; undefined if later events are no longer all here. */
  after(id: string): number | undefined {
    const [, tag, digits] = /^(.{1,60})-(\d{1,15})$/.exec(id) ?? [];
    const next = Number(digits) + 1;
    return tag === this.tag && next >= this.#first && next <= this.end ? next : undefined;
  }
}
