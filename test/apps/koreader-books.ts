// Books of the server on a KOReader: by bytes and by name, and what is read elsewhere. Part of koreader-sync.test.ts.
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { assert, type Check } from '../kit.js';
import { type Answer, type App, type AppServer, PAGES } from './app-server.js';

interface Parts {
  readonly server: AppServer;
  /** The same person with an API key. */
  readonly keyed: App;
  push(body: unknown, as?: App): Promise<Answer>;
  pull(document: string, as?: App): Promise<Answer>;
  reported(document: string, more?: object): object;
}

const md5 = (words: string): string => createHash('md5').update(words).digest('hex');

const titled = async (
  { server }: Parts,
  part: string,
): Promise<{ readonly id: string; readonly koreaderHash: string; readonly pageCount: number }> => {
  const { json } = await server.native('GET', '/books?pageSize=100');
  return json.data.find(({ path }: { path: string }) => path.includes(part));
};

/** As KOReader computes it. */
const digestOf = async (path: string): Promise<string> => {
  const samples = createHash('md5');
  for (let i = -1; i <= 10; i += 1) {
    const start = i < 0 ? 0 : 1024 << (2 * i);
    let read = 0;
    for await (const bytes of createReadStream(path, { start, end: start + 1023 })) {
      samples.update(bytes);
      read += bytes.length;
    }
    if (read === 0) break;
  }
  return samples.digest('hex');
};

export const bookFacts = (check: Check, parts: () => Parts): void => {
  check('a comic on the device is the book here, by its bytes and by its name', async () => {
    const { server, keyed, push, reported } = parts();
    const { json } = await server.native('GET', '/books?pageSize=100');
    const book = json.data.find(({ path }: { path: string }) => path.includes('Zot v03'));
    const byBytes = await digestOf(book.path);
    assert.is(byBytes, book.koreaderHash);
    await push(reported(byBytes, { progress: '2', percentage: 0.4 }));
    const progress = await server.native('GET', `/books/${book.id}/progress`);
    assert.equal([progress.json.currentPage, progress.json.completed], [2, false]);
    await push(reported(md5('Zot v03.cbz'), { progress: String(PAGES), percentage: 1 }), keyed);
    const after = await server.native('GET', `/books/${book.id}/progress`);
    assert.equal([after.json.currentPage, after.json.completed], [PAGES, true]);
  });
  check('what is read elsewhere is pulled, with its time and as another device', async () => {
    const { server, push, pull, reported } = parts();
    const book = await titled(parts(), 'Zot v04');
    await push(reported(book.koreaderHash, { progress: '1', percentage: 0.2 }));
    await server.native('PUT', `/books/${book.id}/progress`, { current_page: 3 });
    const { json } = await pull(book.koreaderHash);
    assert.is(json.timestamp % 1, 0);
    assert.equal([json.progress, json.percentage, json.document], ['3', 0.6, book.koreaderHash]);
    assert.is.not(json.device_id, '1A2B3C4D5E6F');
    await push(reported(book.koreaderHash, { progress: '2', percentage: 0.4 }));
    const again = await pull(book.koreaderHash);
    assert.equal([again.json.progress, again.json.device_id], ['2', '1A2B3C4D5E6F']);
  });
  check('an EPUB keeps its pointer, and another app gives an item of the spine', async () => {
    const { server, push, pull, reported } = parts();
    const book = await titled(parts(), 'incomplete-theft.epub');
    const pointer = '/body/DocFragment[2]/body/section/p[3]/text().17';
    await push(reported(book.koreaderHash, { progress: pointer, percentage: 0.5 }));
    assert.is((await pull(book.koreaderHash)).json.progress, pointer);
    const { json } = await server.native('GET', `/books/${book.id}/progress`);
    assert.ok(json.currentPage >= 1 && json.completed === false);
    await server.native('PUT', `/books/${book.id}/progress`, { progressPercentage: 0.9, current_page: 1 });
    assert.match((await pull(book.koreaderHash)).json.progress, /^\/body\/DocFragment\[\d+\]\.0$/);
  });
  check('what was cleared is not brought back by an old report', async () => {
    const { server, push, pull, reported } = parts();
    const book = await titled(parts(), 'Zot v05');
    await push(reported(book.koreaderHash, { progress: '4', percentage: 0.8 }));
    await server.native('DELETE', `/books/${book.id}/progress`);
    assert.equal((await pull(book.koreaderHash)).json, {});
  });
};
