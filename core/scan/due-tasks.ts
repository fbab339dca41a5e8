// What follows scans: covers and hashes that are due, each as tasks of its own.
import type { Clock } from '../engine/clock.js';
import type { Pool } from '../engine/pool.js';
import type { CoverParts } from './cover-tasks.js';
import { dueCovers } from './due-cover-tasks.js';
import { dueHashes } from './due-hash-tasks.js';
import { type DueParts, DueWork } from './due-work.js';
import type { ScanStatus } from './status.js';

export type DueTaskParts = CoverParts & DueParts & { readonly clock: Clock; readonly pool: Pool };

export class DueTasks {
  readonly covers: DueWork;
  readonly #all: readonly DueWork[];

  constructor(parts: DueTaskParts) {
    this.covers = new DueWork(parts, dueCovers(parts));
    this.#all = [this.covers, new DueWork(parts, dueHashes(parts))];
  }

  stop(): void {
    for (const work of this.#all) work.stop();
  }

  added(libraryKey: number): void {
    for (const work of this.#all) work.added(libraryKey);
  }

  freed(libraryKey: number): void {
    for (const work of this.#all) work.freed(libraryKey);
  }

  async scanEnded(status: Pick<ScanStatus, 'libraryKey'>): Promise<void> {
    for (const work of this.#all) await work.scanEnded(status);
  }

  async resume(): Promise<void> {
    for (const work of this.#all) await work.resume();
  }

  retry(): void {
    for (const work of this.#all) work.retry();
  }
}
