// Runs every kind of attack against one back-end, one after the other: starts the servers, watches them, and always cleans up.
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CEILING_BYTES, inMb, type Kind, Report, type Scene } from './kind.js';
import { makeShelf } from './library.js';
import { type Backend, type Start, startTarget, type Target } from './target.js';

export class Siege {
  readonly #backend: Backend;
  readonly #isLarge: boolean;
  readonly #folder: string;
  #shelf: string | null = null;
  #shared: Target | null = null;
  /** Clean-ups of the running kind, last one first. */
  readonly #ends: (() => void | Promise<void>)[] = [];

  constructor(backend: Backend, isLarge: boolean) {
    this.#backend = backend;
    this.#isLarge = isLarge;
    this.#folder = mkdtempSync(join(tmpdir(), 'longbox-attack-'));
  }

  /** Runs one kind; never throws because of the server's behaviour. */
  async attack(kind: Kind): Promise<Report> {
    const report = new Report();
    const used: Target[] = [];
    const folder = mkdtempSync(join(this.#folder, 'kind-'));
    const scene: Scene = {
      backend: this.#backend,
      isLarge: this.#isLarge,
      folder,
      report,
      target: async () => this.#use(await this.#sharedTarget(), used),
      start: async (start) => this.#own(await startTarget(this.#backend, start), used),
      atEnd: (undo) => {
        this.#ends.push(undo);
      },
    };
    try {
      await kind.run(scene);
    } catch (thrown) {
      report.losses.push(thrown instanceof Error ? thrown.message : String(thrown));
    }
    this.#lookAt(used, report, CEILING_BYTES[this.#backend]);
    if (report.losses.length > 0) await this.#endShared();
    await this.#undo();
    rmSync(folder, { recursive: true, force: true });
    return report;
  }

  /** Works in the middle of a kind too: leaves no server, mount or folder behind. */
  async end(): Promise<void> {
    await this.#undo();
    await this.#endShared();
    rmSync(this.#folder, { recursive: true, force: true });
  }

  async #undo(): Promise<void> {
    for (let undo = this.#ends.pop(); undo !== undefined; undo = this.#ends.pop()) await undo();
  }

  /** After a loss the next kind gets a new server, so that it is not blamed for this one. */
  async #endShared(): Promise<void> {
    if (this.#shared?.death === null) await this.#shared.stop();
    this.#shared = null;
  }

  #use(target: Target, used: Target[]): Target {
    if (used.includes(target)) return target;
    target.forgetPeak();
    used.push(target);
    return target;
  }

  #own(target: Target, used: Target[]): Target {
    this.#ends.push(async () => {
      if (target.death === null) await target.kill();
    });
    used.push(target);
    return target;
  }

  /** Memory and survival of the servers. One stopped by its kind ended by a signal or with 0. */
  #lookAt(used: readonly Target[], report: Report, ceiling: number): void {
    for (const target of used) {
      report.peakBytes = Math.max(report.peakBytes, target.peakSeen());
      report.pssBytes = Math.max(report.pssBytes, target.pssBytes());
      const { death } = target;
      if (target.isFallen && death !== null && !report.losses.includes(death)) report.losses.push(death);
    }
    if (report.peakBytes > ceiling)
      report.losses.push(`${inMb(report.peakBytes)} at the peak, more than ${inMb(ceiling)}`);
  }

  async #sharedTarget(): Promise<Target> {
    if (this.#shared?.death === null) return this.#shared;
    const data = mkdtempSync(join(this.#folder, 'data-'));
    const folder = join(this.#folder, 'library');
    if (this.#shelf === null) {
      mkdirSync(folder, { recursive: true });
      this.#shelf = await makeShelf(folder);
    }
    const start: Start = { data, shelves: [this.#shelf] };
    this.#shared = await startTarget(this.#backend, start);
    return this.#shared;
  }
}
