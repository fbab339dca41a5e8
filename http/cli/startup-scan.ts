// Starts a scan that nobody asked for: when it is refused, the server goes on without it.
import type { Library } from '../../core/catalog/libraries.js';
import { AppError } from '../../core/model/errors.js';
import type { ScanStatus } from '../../core/scan/status.js';
import type { App } from '../../core/start.js';
import type { Log } from './log.js';

/** A client may have started a scan of the library a moment ago, or deleted it. */
export const startupScan = async (
  { scans }: Pick<App, 'scans'>,
  library: Library,
  log: Pick<Log, 'warn'>,
): Promise<ScanStatus | undefined> => {
  try {
    return await scans.start(library, { mode: library.scanMode });
  } catch (thrown) {
    if (!(thrown instanceof AppError)) throw thrown;
    log.warn(`the library "${library.name}" is not scanned: ${thrown.message}`);
    return undefined;
  }
};
