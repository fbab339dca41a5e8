// All measurements of the server, collected when somebody asks: whoever counts something owns the numbers, and this only reads them.
import type { App } from '../../core/start.js';
import { databasePath, uploadFolder } from '../../core/upkeep/places.js';
import type { NetworkLoad } from '../server/adapter.js';
import type { Exposition, TextFormat } from '../surface/exposition.js';
import type { Traffic } from '../surface/traffic.js';
import { type Family, gauge, sample } from './family.js';
import { DiskMeasures } from './of-disks.js';
import { ofCache, ofPool, ofScans, ofTasks } from './of-engine.js';
import { ofNetwork, ofRequests } from './of-network.js';
import { LoopDelay, ofProcess } from './of-process.js';
import { textOf } from './text.js';

export interface MetricsParts {
  readonly app: App;
  readonly traffic: Traffic;
  readonly version: string;
  /** Null until the server listens. */
  readonly network: () => NetworkLoad | null;
}

export class Metrics {
  readonly #parts: MetricsParts;
  readonly #disks: DiskMeasures;
  readonly #delay = new LoopDelay();
  /** Whoever asks meanwhile gets the same: any number of scrapes cost as much as one. */
  #collecting: Promise<readonly Family[]> | null = null;

  constructor(parts: MetricsParts) {
    this.#parts = parts;
    const [folder = '', cache = ''] = parts.app.ownFolders;
    this.#disks = new DiskMeasures({ database: databasePath(folder), uploads: uploadFolder(folder), cache });
  }

  readonly scrape = async (format: TextFormat): Promise<Exposition> => {
    this.#collecting ??= this.#collect().finally(() => {
      this.#collecting = null;
    });
    return textOf(await this.#collecting, format);
  };

  stop(): void {
    this.#delay.stop();
  }

  async #collect(): Promise<readonly Family[]> {
    const { app, traffic, version, network } = this.#parts;
    const load = network();
    const build = sample(1, { version, node: process.version });
    const troubles = Object.entries(app.health.troubles()).map(([part, trouble]) =>
      sample(Number(trouble !== null), { part }),
    );
    return [
      gauge('longbox_build_info', 'The version of the server and of Node.', [build]),
      gauge('longbox_trouble', '1 while the database or the cache fails.', troubles),
      ...ofRequests(traffic),
      ...(load === null ? [] : ofNetwork(load)),
      ...ofPool(app),
      ...ofCache(app),
      ...ofScans(app),
      ...(await ofTasks(app)),
      ...(await this.#disks.families()),
      ...this.#delay.take(),
      ...ofProcess(),
    ];
  }
}
