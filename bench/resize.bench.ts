// Resized pages that are not cached yet, compared with the bare resize of the same bytes on the same cores.
import { readFileSync } from 'node:fs';
import { Agent, get } from 'node:http';
import { join } from 'node:path';
import sharp from 'sharp';
import { DISTINCT_PAGES, makeLibrary, makePages, PLANS } from './corpus.js';
import { compared, median, type Suite } from './measure.js';
import { libraryOf, type Running, scan, startProgram } from './program.js';

sharp.cache(false);
sharp.concurrency(1);

/** On both sides: enough that no core waits for a hand-over. */
const IN_FLIGHT = 6;
const WIDTH = 800;

const perSecond = async (count: number, one: (index: number) => Promise<unknown>): Promise<number> => {
  let next = 0;
  const started = performance.now();
  await Promise.all(
    Array.from({ length: IN_FLIGHT }, async () => {
      for (let index = next++; index < count; index = next++) await one(index);
    }),
  );
  return count / ((performance.now() - started) / 1000);
};

const bareResize = (page: Buffer): Promise<Buffer> =>
  sharp(page)
    .resize(WIDTH, null, { fit: 'inside', withoutEnlargement: true })
    .jpeg({ quality: 80, optimiseCoding: false })
    .toBuffer();

const agent = new Agent({ keepAlive: true, maxSockets: IN_FLIGHT });

const fetched = (url: string, token: string): Promise<void> =>
  new Promise((resolve, reject) => {
    get(url, { agent, headers: { authorization: `Bearer ${token}` } }, (reply) => {
      if (reply.statusCode !== 200) reject(new Error(`a page was answered with status ${reply.statusCode}`));
      reply.resume();
      reply.once('end', resolve);
    }).once('error', reject);
  });

/** Each round requests a width one pixel smaller, so nothing is cached. */
const ourResize = (program: Running, books: readonly string[], round: number, index: number): Promise<void> => {
  const [book, page] = [books[index % books.length], Math.floor(index / books.length) + 1];
  return fetched(
    `http://127.0.0.1:${program.port}/api/v1/books/${book}/pages/${page}?width=${WIDTH - round}`,
    program.token,
  );
};

export const resize: Suite = async ({ quick, folder }) => {
  const root = await makeLibrary(folder, PLANS.pages300);
  const sources = await makePages(PLANS.pages300, DISTINCT_PAGES);
  const program = await startProgram(join(folder, 'data-resize'), false);
  await scan(program, await libraryOf(program, root), 'normal');
  const { data } = await program.call('GET', '/books?pageSize=500');
  const books = data.map((book: { id: string }) => book.id) as string[];
  const count = PLANS.pages300.books * PLANS.pages300.pagesPerBook;
  const ours: number[] = [];
  const bare: number[] = [];
  for (let round = 1; round <= (quick ? 3 : 5); round += 1) {
    ours.push(await perSecond(count, (index) => ourResize(program, books, round, index)));
    bare.push(await perSecond(count, (index) => bareResize(sources[index % sources.length] ?? readFileSync(root))));
  }
  agent.destroy();
  await program.stop();
  return [
    compared({
      id: 'resize-miss',
      work: `resized page, miss, 1400 to ${WIDTH} pixels wide, ${IN_FLIGHT} in flight`,
      limit: 'the bare sharp call on the same cores',
      unit: 'images/s',
      ours: median(ours),
      bare: median(bare),
      target: { kind: 'min', value: 0.9 },
    }),
  ];
};
