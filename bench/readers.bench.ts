// Readers come first: warm original pages while a deep scan makes covers, compared with the same when the server is idle; and what is left
// for the scan. Phases alternate, so that a busy moment of the machine hits both sides.
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { makeLibrary, PLANS } from './corpus.js';
import { absolute, compared, figure, type Line, median, percentile, round, type Suite } from './measure.js';
import { fullBlast, openLoop } from './paced.js';
import { libraryOf, type Running, scan, startProgram } from './program.js';

const PER_SECOND = 50;
const CONNECTIONS = 2;
const BLAST_SECONDS = 4;
/** The client is busy for a moment when it asks for the state of the scan, and cannot take a page then. */
const LOOK_MS = 2000;
const START_MS = 1000;
const PAGES = 40;

/** Deep scans, one after the other, until `stop`. */
class Scanning {
  #isDone = false;
  #before = 0;
  #now = 0;
  readonly #ended: Promise<void>;
  readonly #program: Running;
  readonly #library: string;

  constructor(program: Running, library: string) {
    this.#program = program;
    this.#library = library;
    this.#ended = this.#run();
  }

  /** Books analysed so far. */
  async books(): Promise<number> {
    await this.#look();
    return this.#before + this.#now;
  }

  async stop(): Promise<void> {
    this.#isDone = true;
    await this.#program.call('POST', `/libraries/${this.#library}/scan/cancel`);
    await this.#ended;
  }

  async #run(): Promise<void> {
    while (!this.#isDone) {
      await this.#program.call('POST', `/libraries/${this.#library}/scan?mode=deep`);
      do await sleep(LOOK_MS);
      while (await this.#look());
      this.#before += this.#now;
      this.#now = 0;
    }
  }

  /** True while the scan runs. */
  async #look(): Promise<boolean> {
    const status = await this.#program.call('GET', `/libraries/${this.#library}/scan-status`);
    this.#now = status.filesProcessed;
    return status.status === 'pending' || status.status === 'running';
  }
}

/** While `body` runs; returns also the books analysed in each of its seconds. */
const whileScanning = async (
  program: Running,
  library: string,
  body: () => Promise<number>,
): Promise<{ readonly found: number; readonly perSecond: number }> => {
  const scanning = new Scanning(program, library);
  await sleep(START_MS); // the walk is over, and books are analysed
  const [before, started] = [await scanning.books(), performance.now()];
  const found = await body();
  const perSecond = (((await scanning.books()) - before) * 1000) / (performance.now() - started);
  await scanning.stop();
  return { found, perSecond };
};

/** The client asks for the state of the scan here too. */
const whileIdle = async (program: Running, library: string, body: () => Promise<number>): Promise<number> => {
  const looking = setInterval(() => void program.call('GET', `/libraries/${library}/scan-status`), LOOK_MS);
  try {
    return await body();
  } finally {
    clearInterval(looking);
  }
};

/** Medians of alternating phases. */
const alternated = async (
  program: Running,
  library: string,
  rounds: number,
  body: () => Promise<number>,
): Promise<{ readonly idle: number; readonly busy: number; readonly scanned: number }> => {
  const [idle, busy, scanned]: [number[], number[], number[]] = [[], [], []];
  for (let n = 0; n < rounds; n += 1) {
    idle.push(await whileIdle(program, library, body));
    const { found, perSecond } = await whileScanning(program, library, body);
    busy.push(found);
    scanned.push(perSecond);
  }
  process.stderr.write(`${JSON.stringify({ idle, busy, scanned })}\n`);
  return { idle: median(idle), busy: median(busy), scanned: median(scanned) };
};

export const readers: Suite = async ({ quick, folder }) => {
  const [read, scanned] = [await makeLibrary(folder, PLANS.read), await makeLibrary(folder, PLANS.covers)];
  const program = await startProgram(join(folder, 'data-readers'), false);
  await scan(program, await libraryOf(program, read), 'normal');
  const { data } = await program.call('GET', '/books?pageSize=1');
  const paths = Array.from({ length: PAGES }, (_, n) => `/api/v1/books/${data[0].id}/pages/${n + 1}`);
  const library = await libraryOf(program, scanned);
  await scan(program, library, 'normal');
  const alone = PLANS.covers.books / (await scan(program, library, 'deep'));
  await fullBlast(program, paths, CONNECTIONS, 1);
  const [rounds, answers] = quick ? [1, 500] : [3, 1000];
  const paced = await alternated(program, library, rounds, async () =>
    percentile(await openLoop(program, paths, PER_SECOND, answers), 0.99),
  );
  const blast = await alternated(program, library, rounds, () => fullBlast(program, paths, CONNECTIONS, BLAST_SECONDS));
  await program.stop();
  const share = (perSecond: number): string =>
    `${round(perSecond, 1)} books/s, ${round((perSecond * 100) / alone, 0)} %`;
  const lines: Line[] = [
    compared({
      id: 'readers-p99',
      work: `warm original page of 100 kB, p99 at ${PER_SECOND} a second, during a deep scan with covers`,
      limit: 'the same when idle',
      unit: 'ms',
      ours: paced.busy,
      bare: paced.idle,
      target: { kind: 'max', value: 1.5 },
    }),
    compared({
      id: 'readers-rate',
      work: `warm original page of 100 kB, ${CONNECTIONS} connections without a pause, during a deep scan with covers`,
      limit: 'the same when idle',
      unit: 'req/s',
      ours: blast.busy,
      bare: blast.idle,
      target: { kind: 'min', value: 0.5 },
    }),
    figure('readers-scan', 'that deep scan while nobody reads', `${round(alone, 1)} books/s`),
    absolute(
      'readers-scan-paced',
      `that deep scan while ${PER_SECOND} pages a second are read`,
      '> 0',
      share(paced.scanned),
      paced.scanned > 0,
    ),
    absolute(
      'readers-scan-blast',
      `that deep scan while ${CONNECTIONS} connections read without a pause`,
      '> 0',
      share(blast.scanned),
      blast.scanned > 0,
    ),
  ];
  return lines;
};
