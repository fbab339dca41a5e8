// The interface of every kind of attack: what it gets and what it reports. One table row per kind; no kind imports another.
import type { Backend, Start, Target } from './target.js';

/** What was tried, what held, and what was lost. A loss fails the run. */
export class Report {
  readonly tried: string[] = [];
  readonly held: string[] = [];
  readonly losses: string[] = [];
  /** Legitimate readers waited too long: a loss as well, if it happens again. */
  readonly late: string[] = [];
  peakBytes = 0;
  pssBytes = 0;

  /** Reports one fact: held when true, else a loss. */
  judge(isSo: boolean, held: string, lost: string): void {
    if (isSo) this.held.push(held);
    else this.losses.push(lost);
  }
}

export interface Scene {
  readonly backend: Backend;
  readonly isLarge: boolean;
  /** This kind's own folder; removed afterwards. */
  readonly folder: string;
  readonly report: Report;
  /** The server shared by kinds that leave it unchanged. */
  target(): Promise<Target>;
  /** This kind's own server; stopped afterwards. */
  start(options: Start): Promise<Target>;
  /** Clean-ups, run in reverse order when the kind is over, whatever happened. */
  atEnd(undo: () => void | Promise<void>): void;
}

export interface Kind {
  readonly name: string;
  /** Its target: the network engine (socket), or the code behind it (engine). */
  readonly concerns: 'socket' | 'engine';
  /** Why it cannot run on this machine; null when it can. */
  readonly hindrance: (isLarge: boolean) => string | null;
  readonly run: (scene: Scene) => Promise<void>;
}

/** Most memory the process may use under any attack. */
export const CEILING_BYTES: Readonly<Record<Backend, number>> = {
  uws: 512 * 1024 * 1024,
  node: 600 * 1024 * 1024,
};

export const inMb = (bytes: number): string => `${Math.round(bytes / 1024 / 1024)} MB`;

export const pause = (ms: number): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, ms);
  });
