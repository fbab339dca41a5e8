// The measurements of a server: who reads them, and the address of their own, if one is configured, which lives as long as the server's.
import type { App } from '../../core/start.js';
import type { Config } from '../config/config.js';
import { listenForScrapes } from '../metrics/listener.js';
import { Metrics } from '../metrics/metrics.js';
import type { Listening } from '../server/adapter.js';
import type { Scrape } from '../surface/exposition.js';
import type { Router } from '../surface/router.js';
import { Traffic } from '../surface/traffic.js';

export interface Measured {
  readonly traffic: Traffic;
  readonly scrape: Scrape;
  /** Begins with the address for scrapers: its port is refused before the server says that it listens. */
  listen(begin: () => Promise<Listening>): Promise<Listening>;
}

interface MeasuredParts {
  readonly app: App;
  readonly router: Router;
  readonly version: string;
  readonly onFault: (thrown: unknown) => void;
}

export const measured = (
  { app, router, version, onFault }: MeasuredParts,
  { host, port }: Config['metrics'],
): Measured => {
  const traffic = new Traffic(router);
  let listening: Listening | null = null;
  const metrics = new Metrics({ app, traffic, version, network: () => listening?.load() ?? null });
  const { scrape } = metrics;
  return {
    traffic,
    scrape,
    listen: async (begin) => {
      const own = port === 0 ? null : await listenForScrapes({ host, port, scrape, onFault });
      const stop = async (): Promise<void> => {
        metrics.stop();
        await own?.stop();
      };
      try {
        const begun = await begin();
        listening = begun;
        return { ...begun, stop: (graceMs) => begun.stop(graceMs).finally(stop) };
      } catch (thrown) {
        await stop();
        throw thrown;
      }
    },
  };
};
