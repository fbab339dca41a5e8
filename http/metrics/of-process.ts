// Measurements of the process and its event loop. Those that every program has are named as everywhere else.
import { type IntervalHistogram, monitorEventLoopDelay } from 'node:perf_hooks';
import { descriptorLimit, openDescriptors } from '../server/descriptors.js';
import { counter, type Family, gauge, sample } from './family.js';

const RESOLUTION_MS = 20;
const NANOSECONDS = 1e9;
const QUANTILES = [50, 99, 100] as const;

/** It wakes the process, so it begins with the first scrape: a server that nobody measures sleeps. */
export class LoopDelay {
  #histogram: IntervalHistogram | null = null;

  /** Since the last call. A delay below the resolution counts as none. */
  take(): readonly Family[] {
    if (this.#histogram === null) {
      this.#histogram = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
      this.#histogram.enable();
    }
    const histogram = this.#histogram;
    const secondsAt = (percentile: number): number =>
      histogram.count === 0 ? 0 : Math.max(0, histogram.percentile(percentile) / NANOSECONDS - RESOLUTION_MS / 1000);
    const values = QUANTILES.map((percentile) => sample(secondsAt(percentile), { quantile: percentile / 100 }));
    histogram.reset();
    return [gauge('longbox_event_loop_delay_seconds', 'How late timers fired since the last scrape.', values)];
  }

  stop(): void {
    this.#histogram?.disable();
    this.#histogram = null;
  }
}

export const ofProcess = (): readonly Family[] => {
  const { user, system } = process.cpuUsage();
  const { rss, heapUsed, external } = process.memoryUsage();
  const { active, idle } = performance.eventLoopUtilization();
  const [open, limit] = [openDescriptors(), descriptorLimit()];
  return [
    counter('longbox_event_loop_active_seconds_total', 'Time in which the event loop was busy.', active / 1000),
    counter('longbox_event_loop_idle_seconds_total', 'Time in which the event loop waited.', idle / 1000),
    counter('process_cpu_seconds_total', 'CPU time of all threads.', (user + system) / 1e6),
    gauge('process_resident_memory_bytes', 'Memory of the process, worker threads included.', rss),
    gauge('process_start_time_seconds', 'When the process started, as Unix time.', performance.timeOrigin / 1000),
    gauge('longbox_heap_used_bytes', 'JavaScript heap of the main thread.', heapUsed),
    gauge('longbox_external_memory_bytes', 'Memory held by JavaScript objects outside the heap.', external),
    ...(open > 0 && Number.isFinite(open) ? [gauge('process_open_fds', 'Open file descriptors.', open)] : []),
    ...(Number.isFinite(limit) ? [gauge('process_max_fds', 'Limit on open file descriptors.', limit)] : []),
  ];
};
