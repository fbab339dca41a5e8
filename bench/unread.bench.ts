// Lists of what somebody has read, for somebody who has read nothing, compared with the bare library sending the same answer.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { makeLibrary, PLANS } from './corpus.js';
import { load } from './load.js';
import { compared, has, type Line, median, round, type Suite } from './measure.js';
import { portOf, spawnPinned } from './pages.bench.js';
import { libraryOf, scan, startProgram } from './program.js';

const CONNECTIONS = 16;
const LISTS = [
  { id: 'on-deck-unread', path: '/books/on-deck' },
  { id: 'recently-read-unread', path: '/books/recently-read' },
] as const;
/** Both servers add these by themselves. */
const OWN_HEADERS = /^(?:content-length|date|connection|keep-alive)$/;

interface Rates {
  readonly ours: number;
  readonly bare: number;
  /** Sending the body alone. */
  readonly body: number;
}

const race = async (urls: { readonly [K in keyof Rates]: string }, token: string, quick: boolean): Promise<Rates> => {
  const auth = [`Authorization: Bearer ${token}`];
  const [rounds, seconds] = quick ? [3, 2] : [5, 4];
  const all: { readonly [K in keyof Rates]: number[] } = { ours: [], bare: [], body: [] };
  await load(urls.ours, auth, CONNECTIONS, 1);
  // All three receive the same requests.
  for (let n = 0; n < rounds; n += 1)
    for (const side of ['ours', 'bare', 'body'] as const)
      all[side].push((await load(urls[side], auth, CONNECTIONS, seconds)).perSecond);
  return { ours: median(all.ours), bare: median(all.bare), body: median(all.body) };
};

export const unread: Suite = async ({ quick, folder }) => {
  const root = await makeLibrary(folder, PLANS.tiny1k);
  const pinned = has('taskset') ? ['taskset', '-c', '0'] : [];
  const program = await startProgram(join(folder, 'data-unread'), false, pinned);
  await scan(program, await libraryOf(program, root), 'normal');
  const lines: Line[] = [];
  for (const { id, path } of LISTS) {
    const ours = `http://127.0.0.1:${program.port}/api/v1${path}`;
    const reply = await fetch(ours, {
      headers: { authorization: `Bearer ${program.token}`, 'accept-encoding': 'identity' },
    });
    const headers = [...reply.headers].filter(([name]) => !OWN_HEADERS.test(name));
    const body = await reply.text();
    const file = join(folder, `${id}.json`);
    writeFileSync(file, JSON.stringify({ headers, body }));
    const bare = spawnPinned(process.execPath, [
      fileURLToPath(new URL('./bare-uws.js', import.meta.url)),
      `@${file}`,
      String(body.length),
    ]);
    const origin = `http://127.0.0.1:${await portOf(bare)}`;
    const rates = await race(
      { ours, bare: `${origin}/answer`, body: `${origin}/${body.length}` },
      program.token,
      quick,
    );
    bare.kill('SIGKILL');
    lines.push(
      compared({
        id,
        work: `GET ${path} by somebody who has read nothing, ${CONNECTIONS} connections`,
        limit: 'bare uWS, the same headers and body',
        unit: 'req/s',
        ours: rates.ours,
        bare: rates.bare,
        target: { kind: 'min', value: 0.5 },
        note: `${round(rates.ours / rates.body)} of the body without its headers`,
      }),
    );
  }
  await program.stop();
  return lines;
};
