// Measurements of the engine: worker threads, cache, scans, tasks.

import { unrestricted } from '../../core/model/viewer.js';
import { countTasks } from '../../core/scan/visible-tasks.js';
import type { App } from '../../core/start.js';
import { bucketsOf, counter, type Family, gauge, histogram, sample } from './family.js';

/** The server itself: it counts everything. */
const SERVER = unrestricted(0);

export const ofPool = ({ pool }: Pick<App, 'pool'>): readonly Family[] => {
  const { running, waiting, waitingInteractive, threads } = pool.load();
  const { waits, jobs } = pool.tally;
  return [
    gauge('longbox_pool_threads', 'Worker threads that exist.', threads),
    gauge('longbox_pool_running', 'Threads at work.', running),
    gauge('longbox_pool_lost_threads', 'Threads blocked on a disk that does not answer.', pool.lostThreads),
    gauge('longbox_pool_queue_length', 'Jobs that wait for a thread.', [
      sample(waitingInteractive, { lane: 'interactive' }),
      sample(waiting - waitingInteractive, { lane: 'background' }),
    ]),
    histogram(
      'longbox_pool_queue_wait_seconds',
      'Time from the request for a job to its start.',
      Object.entries(waits).map(([lane, distribution]) => bucketsOf(distribution, { lane })),
    ),
    counter(
      'longbox_pool_jobs_total',
      'Jobs that ended on a thread.',
      [...jobs].flatMap(([job, ends]) => Object.entries(ends).map(([result, count]) => sample(count, { job, result }))),
    ),
  ];
};

export const ofCache = ({ blobs }: Pick<App, 'blobs'>): readonly Family[] => {
  const { hits, misses, stored, evicted } = blobs.tally;
  return [
    counter('longbox_cache_hits_total', 'Cache look-ups of covers and rendered pages that were hits.', hits),
    counter('longbox_cache_misses_total', 'Cache look-ups of covers and rendered pages that were misses.', misses),
    counter('longbox_cache_stored_total', 'Images stored in the cache.', stored),
    counter('longbox_cache_evicted_total', 'Images evicted to keep the cache within its budget.', evicted),
    gauge('longbox_cache_bytes', 'Bytes in the cache that count against its budget.', blobs.sizeBytes()),
    gauge('longbox_cache_up', '1 while the cache can be written.', Number(blobs.isKeeping)),
  ];
};

export const ofScans = ({ scans }: Pick<App, 'scans'>): readonly Family[] => {
  const { tally } = scans;
  return [
    gauge('longbox_scans_active', 'Scans that run or wait.', scans.active().length),
    counter(
      'longbox_scan_files_seen_total',
      'Files of books that scans found in folders they listed.',
      tally.filesSeen,
    ),
    counter('longbox_books_analysed_total', 'Books that were analysed.', tally.booksAnalysed),
    counter('longbox_books_analysed_bytes_total', 'Bytes of the files of these books.', tally.bytesRead),
    counter('longbox_book_faults_total', 'Analysed books that cannot be read, or only in part.', tally.bookFaults),
    counter(
      'longbox_analyses_unfinished_total',
      'Analyses without a result: a disk or the server was at fault, or nobody waited any longer.',
      tally.unfinished,
    ),
  ];
};

/** Running tasks that nobody works on count as running too. */
export const ofTasks = async ({ db, clock }: Pick<App, 'db' | 'clock'>): Promise<readonly Family[]> => {
  const states = new Map<string, number>([
    ['pending', 0],
    ['running', 0],
    ['completed', 0],
    ['failed', 0],
    ['cancelled', 0],
  ]);
  for (const { state, count } of await countTasks(db, SERVER, clock.now())) {
    const shown = state === 'stale' ? 'running' : state;
    states.set(shown, (states.get(shown) ?? 0) + count);
  }
  const help = 'Tasks by state; those that ended are kept for a week.';
  return [
    gauge(
      'longbox_tasks',
      help,
      [...states].map(([state, count]) => sample(count, { state })),
    ),
  ];
};
