// Whether the collector takes what is sent to it: told once when that changes, and not with each failure.

export interface CollectorNews {
  readonly onNote: (sentence: string) => void;
  readonly onWarning: (sentence: string) => void;
}

/** Traces that crowd each other out come and go: it is over once none was dropped for this long. */
const STEADY_MS = 60_000;

const counted = (spans: number): string => `${spans} span${spans === 1 ? '' : 's'}`;

export class CollectorState {
  readonly #host: string;
  readonly #news: CollectorNews;
  readonly #elapsed: () => number;
  #droppedMs = Number.NEGATIVE_INFINITY;
  #isFailing = false;
  #lost = 0;

  /** The host alone: a path may hold a key. */
  constructor(endpoint: string, news: CollectorNews, elapsed: () => number) {
    this.#host = new URL(endpoint).host;
    this.#news = news;
    this.#elapsed = elapsed;
  }

  sent(spans: number, failure: string | null): void {
    if (failure !== null) {
      this.#lost += spans;
      if (this.#isFailing) return;
      this.#isFailing = true;
      this.#news.onWarning(
        `The collector at ${this.#host} does not accept traces (${failure}); they are dropped until it does.`,
      );
    } else if (this.#isFailing && this.#elapsed() - this.#droppedMs >= STEADY_MS) {
      this.#isFailing = false;
      this.#news.onNote(`the collector at ${this.#host} accepts traces again; ${counted(this.#lost)} were dropped`);
      this.#lost = 0;
    }
  }

  dropped(spans: number): void {
    this.#lost += spans;
    this.#droppedMs = this.#elapsed();
    if (this.#isFailing) return;
    this.#isFailing = true;
    this.#news.onWarning(
      `There are more traces than the collector at ${this.#host} accepts; some are dropped until it keeps up.`,
    );
  }

  get lost(): number {
    return this.#lost;
  }
}
