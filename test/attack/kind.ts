// What every kind of attack is given and what it tells: one table row a kind, no kind knows another.
import type { Backend, Start, Target } from './target.js';

/** What was tried, what held, and what was lost. A loss fails the run. */
export class Report {
  readonly tried: string[] = [];
  readonly held: string[] = [];
  readonly losses: string[] = [];
  peakBytes = 0;
  pssBytes = 0;

  /** One fact: told as held when it is so, else as a loss. */
  judge(isSo: boolean, held: string, lost: string): void {
    if (isSo) this.held.push(held);
    else this.losses.push(lost);
  }
}

export interface Scene {
  readonly backend: Backend;
  readonly isLarge: boolean;
  /** A folder of this kind's own; removed after it. */
  readonly folder: string;
  readonly report: Report;
  /** The server that kinds share which leave it as it was. */
  target(): Promise<Target>;
  /** A server of this kind's own; ended after it. */
  start(options: Start): Promise<Target>;
  /** Ran when the kind is over, the last one first, whatever happened. */
  atEnd(undo: () => void | Promise<void>): void;
}

export interface Kind {
  readonly name: string;
  /** What it is aimed at: the network engine, or what lies behind all of them. */
  readonly concerns: 'socket' | 'engine';
  /** Why it cannot be tried on this machine; null when it can. */
  readonly hindrance: (isLarge: boolean) => string | null;
  readonly run: (scene: Scene) => Promise<void>;
}

/** Most memory the process may take, whatever is done to it. */
export const CEILING_BYTES: Readonly<Record<Backend, number>> = {
  uws: 512 * 1024 * 1024,
  node: 600 * 1024 * 1024,
};

export const inMb = (bytes: number): string => `${Math.round(bytes / 1024 / 1024)} MB`;

export const pause = (ms: number): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, ms);
  });
