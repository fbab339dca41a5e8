// Builds the engine from its parts, in order, and closes it in reverse. The only file that knows all parts.
import { refusingDeparted } from './access/departed.js';
import { type Access, type AccessOptions, openAccess } from './access/open.js';
import { openRegistration, type RegistrationSettings, type RegistrationState } from './access/registration-state.js';
import { keepUp } from './access/upkeep.js';
import { Viewers } from './access/viewers.js';
import { KeptRows } from './catalog/query/kept-rows.js';
import { SetCache } from './catalog/query/set-cache.js';
import { indexWaiting } from './catalog/search/index-waiting.js';
import { SearchKeeper } from './catalog/search/keeper.js';
import { VisibleSeries } from './catalog/visible-series.js';
import { Answers } from './engine/answers.js';
import { type Clock, systemClock } from './engine/clock.js';
import { endAll } from './engine/end-all.js';
import { IdleTrimmer } from './engine/idle-trimmer.js';
import { openPool, type Pool, type PoolOptions } from './engine/pool.js';
import { Readers } from './engine/readers.js';
import { WarmUp } from './engine/warm-up.js';
import { Events } from './events/events.js';
import type { Limits, ThumbnailOptions } from './model/jobs.js';
import { FailingPages } from './pages/failing-pages.js';
import { Pages } from './pages/pages.js';
import { UploadedCovers } from './pages/uploaded-covers.js';
import { openReading, type ReadingState } from './reading/open.js';
import type { ScanParts } from './scan/context.js';
import { CoverCounts } from './scan/cover-counts.js';
import { CoverTasks } from './scan/cover-tasks.js';
import { DueTasks } from './scan/due-tasks.js';
import { Removals } from './scan/library-removal.js';
import { type LibraryWork, openWork, SINGLE_LANES } from './scan/open-work.js';
import { Remakes } from './scan/remake.js';
import { AnalysisRequests } from './scan/requests.js';
import { ScanTally } from './scan/scan-tally.js';
import { SCAN_LANE, Scans } from './scan/scans.js';
import type { WatchSettings } from './scan/watching/watch-parts.js';
import { retryLockedBooks, sharedPasswordsOf } from './settings/archive-passwords.js';
import type { Given } from './settings/configured.js';
import { Settings } from './settings/settings.js';
import type { SignOnOptions } from './sign-on/options.js';
import { Providers } from './sign-on/providers.js';
import { SignOn } from './sign-on/sign-on.js';
import type { Blobs } from './store/blobs.js';
import { openCache } from './store/cache.js';
import { type Db, type Inspection, openDb } from './store/db.js';
import { toldOnce } from './store/told-once.js';
import { closeVersions, openVersions, type Versions } from './store/versions.js';
import { BookNames } from './sync/book-names.js';
import { TaskRunner } from './tasks/runner.js';
import { type Observability, openTracing } from './tracing/open.js';
import type { TracingOptions } from './tracing/options.js';
import { tracedBlobs, tracedDb } from './tracing/traced-stores.js';
import { BACKUP_LANE, Backups } from './upkeep/backups.js';
import { Health } from './upkeep/health.js';
import { markSetUpOr } from './upkeep/installation.js';
import { backupFolder, databasePath, uploadFolder } from './upkeep/places.js';
import { prepareDatabase } from './upkeep/prepare.js';

export interface EngineOptions extends AccessOptions, RegistrationSettings, Omit<Given, 'registration'> {
  readonly folder: string;
  readonly cacheFolder: string;
  readonly cacheBudgetBytes: number;
  readonly readers: number;
  readonly pool: PoolOptions;
  readonly limits: Limits;
  readonly thumbnail: ThumbnailOptions;
  readonly quality: number;
  readonly tableCacheBytes: number;
  readonly openFiles: number;
  readonly walkBatchFiles: number;
  readonly maxConcurrentScans: number;
  readonly signOn: SignOnOptions;
  readonly tracing: TracingOptions;
  readonly clock?: Clock;
  /** Only tests set these two: other times for watching folders, and what observes the reports of transactions. */
  readonly watching?: Partial<WatchSettings> | undefined;
  readonly inspection?: Inspection | undefined;
  /** Events worth a log line that belong to no request. */
  readonly onFault: (thrown: unknown) => void;
  readonly onNote: (sentence: string) => void;
  /** Something that has failed and that the server does without for now; the owner can fix it. */
  readonly onWarning: (sentence: string) => void;
}

/** Everything a route may use. State lives here and nowhere else. */
export interface App extends Access, RegistrationState, LibraryWork, ReadingState, Observability {
  readonly clock: Clock;
  readonly db: Db;
  /** Sets of ids from which filtered lists are built. */
  readonly sets: SetCache;
  readonly rows: KeptRows | null;
  readonly bookNames: BookNames;
  readonly answers: Answers;
  readonly blobs: Blobs;
  readonly pool: Pool;
  readonly pages: Pages;
  readonly scans: Scans;
  readonly tasks: TaskRunner;
  readonly removals: Removals;
  readonly analyses: AnalysisRequests;
  readonly covers: CoverTasks;
  readonly uploadedCovers: UploadedCovers;
  readonly backups: Backups;
  readonly due: DueTasks;
  readonly coverCounts: CoverCounts;
  readonly viewers: Viewers;
  readonly events: Events;
  readonly signOn: SignOn;
  readonly settings: Settings;
  readonly versions: Versions;
  /** Woken after a scan and after memory was freed; by whoever starts the program, once it listens. */
  readonly warmUp: WarmUp;
  readonly idleTrimmer: IdleTrimmer;
  /** Marks the data folder as having a user. If the marker cannot be written now, the next start writes it. */
  markSetUp(): void;
  readonly health: Health;
  /** Folders this server writes to; no library may share one. */
  readonly ownFolders: readonly string[];
  readonly limits: Limits;
  stop(): Promise<void>;
}
const READ_DEADLINE_MS = 30_000;
const QUEUE_LENGTH = 4096;
const MINUTE_MS = 60_000;

export { backupFolder, databasePath };
export const startEngine = async (options: EngineOptions): Promise<App> => {
  const clock = options.clock ?? systemClock;
  const path = await prepareDatabase(options);
  await indexWaiting(path, options.onNote);
  const observability = await openTracing(options.tracing, clock, options);
  const { tracing } = observability;
  const search = new SearchKeeper(options.onFault);
  const opened = await openDb({
    path,
    readers: options.readers,
    readDeadlineMs: READ_DEADLINE_MS,
    queueLength: QUEUE_LENGTH,
    beforeCommit: search,
    inspection: options.inspection,
    onList: () => idleTrimmer.listRead(),
    onFault: options.onFault,
    onTrouble: toldOnce(options, 'Scans wait until it works again.', 'the database accepts changes again'),
  });
  const db = tracedDb(refusingDeparted(opened), tracing);
  search.drainInto(db);
  const versions = await openVersions(db, path);
  const settings = await Settings.open(db, options, clock.now());
  const warmUp = new WarmUp({ quietMs: () => db.quietMs(), onFault: options.onFault });
  const sets = new SetCache(db);
  const rows = new KeptRows(db.feed, versions);
  const visible = new VisibleSeries(db);
  const { cacheFolder, cacheBudgetBytes, limits, walkBatchFiles, onFault } = options;
  const { cacheDisk, spills, ...cache } = await openCache(clock, cacheFolder, cacheBudgetBytes, options);
  const blobs = tracedBlobs(cache.blobs, tracing);
  const readers = new Readers();
  const passwords = sharedPasswordsOf(settings);
  const { thumbnail, measuredMs } = settings;
  const failing = await FailingPages.open({ ...options, db, clock });
  const callbacks = { onThreadEnded: () => idleTrimmer.noteFreed(), onFault };
  const pool = openPool({ ...options.pool, ...callbacks, readers, tracing, journal: failing.journal, passwords });
  const imageParts = { db, blobs, pool, limits, failing, thumbnail, onFault };
  const ownFolders = [options.folder, options.cacheFolder];
  const scanParts: ScanParts = {
    ...imageParts,
    ownFolders,
    clock,
    tracing,
    walkBatchFiles,
    tally: new ScanTally(),
    onDue: (libraryKey) => due.added(libraryKey),
  };
  const pages = new Pages({
    ...imageParts,
    visible,
    spills,
    quality: options.quality,
    tableCacheBytes: options.tableCacheBytes,
    openFiles: options.openFiles,
    analyse: (book, asker) => analyses.now(book, asker),
    readers,
    uploadFolder: uploadFolder(options.folder),
  });
  const uploadedCovers = new UploadedCovers({ ...imageParts, clock, pages });
  const lanes = { [SCAN_LANE]: options.maxConcurrentScans, ...SINGLE_LANES, [BACKUP_LANE]: 1 };
  const tasks = new TaskRunner({ db, clock, tracing, lanes, measuredMs, onFault });
  const scans = new Scans(scanParts, {
    tasks,
    onFault,
    onWarning: options.onWarning,
    onEnded: async (status) => {
      const analysed = analyses.scanEnded(status);
      await analysed.catch(() => undefined); // thrown below: covers do not depend on it
      await due.scanEnded(status).finally(() => warmUp.wake());
      await analysed;
    },
    onFree: (libraryKey) => due.freed(libraryKey),
  });
  const removals = new Removals({ db, scans, tasks, onChange: () => viewers.forget(), onFault });
  const viewers = new Viewers(db, removals.keys);
  await removals.load();
  await scans.load();
  const idleTrimmer = new IdleTrimmer(
    () => scans.active().length > 0 || tasks.isBusy || pool.load().threads > 0,
    async () => {
      for (const cache of [sets, rows, visible]) cache.forget();
      for (const store of [db, blobs]) await store.shrink();
      warmUp.wake();
    },
    onFault,
  );
  const analyses = new AnalysisRequests(scanParts, tasks);
  retryLockedBooks({ db, settings, analyses, onFault });
  const coverParts = { db, blobs, pool, pages, thumbnail, tasks, cacheTrouble: () => cacheDisk.trouble };
  const covers = new CoverTasks(coverParts);
  const backups = new Backups({ db, clock, tasks, folder: options.folder, settings, onFault });
  const work = openWork(scanParts, { ...options, tasks, scans, readers, pages, covers, failing, settings, backups });
  const due = new DueTasks({ ...coverParts, clock, scans, onFault });
  cacheDisk.onBack(() => due.retry());
  const remakes = new Remakes({ db, clock, tasks, analyses, onNote: options.onNote });
  tasks.start(
    () => removals.resume(),
    () => scans.adopt(),
    () => remakes.resume(),
    () => due.resume(),
  );
  for (const part of [work.schedules, work.watching]) part.start();
  const providers = new Providers(options.signOn, db, clock);
  const access = openAccess(db, clock, options, providers);
  const signOn = new SignOn(options.signOn, { ...access, db, clock, providers, onWarning: options.onWarning });
  keepUp((everyMs, act) => tasks.regularly(everyMs, act), { ...access, db, clock });
  tasks.regularly(MINUTE_MS, () => uploadedCovers.tidy());
  const registration = openRegistration({ ...options, isOpen: settings.isRegistrationOpen }, clock);
  const reading = openReading({ db, clock, onFault });
  const events = new Events({ db, clock, scans, coverCounts: new CoverCounts(db), onFault });
  return {
    clock,
    db,
    sets,
    rows,
    ...reading,
    bookNames: new BookNames(db, clock, (job) => tasks.regularly(MINUTE_MS, job)),
    answers: new Answers(),
    blobs,
    pool,
    pages,
    scans,
    tasks,
    removals,
    analyses,
    ...work,
    backups,
    covers,
    uploadedCovers,
    due,
    coverCounts: events.coverCounts,
    ...access,
    signOn,
    settings,
    viewers,
    events,
    versions,
    ...registration,
    ...observability,
    warmUp,
    idleTrimmer,
    markSetUp: () => markSetUpOr(options.folder, onFault),
    health: new Health({ ...options, db, pool, clock, cacheTrouble: () => cacheDisk.trouble }),
    ownFolders,
    limits,
    stop: () =>
      endAll(
        [
          ...[idleTrimmer, warmUp, work.schedules, work.watching, events, due].map((part) => () => part.stop()),
          () => pool.hurry(),
          () => reading.streamedReading.close(),
          () => removals.stop(),
          () => tasks.stop(),
          () => registration.mails.stop(),
          () => providers.stop(),
          () => access.liveCallers.stop(),
          () => scans.stop(),
          () => pool.close(),
          () => pages.close(),
          () => failing.close(),
          () => cacheDisk.close(),
          () => spills.close(),
          () => blobs.close(),
          () => access.lastUse.store(),
          () => db.close(),
          () => closeVersions(path),
          () => observability.stop(),
        ],
        onFault,
      ),
  };
};
