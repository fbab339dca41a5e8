// Follows events of the real program: how long after a write they arrive at many clients, what each client costs in memory, and what open
// streams cost an idle server. `node dist/bench/events.js [clients] [backend]`
import { readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { writeBook } from '../test/app.js';
import { libraryOf, pssMb, type Running, scan, startProgram } from './program.js';

const CLIENTS = Number(process.argv[2] ?? 1000);
const BACKEND = process.argv[3] ?? 'auto';
const WRITES = 100;
const IDLE_STREAMS = 10;
const IDLE_S = 40;
/** After a scan, memory is freed and first pages are made. */
const SETTLE_MS = 30_000;
const TICKS_PER_S = 100;

const rest = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

const percentile = (values: readonly number[], share: number): number =>
  [...values].sort((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * share))] ?? 0;

/** When each write was answered at last, by its number, and when it was heard. */
const heard: number[][] = Array.from({ length: WRITES }, () => []);

const MARK = /"fields":\["description"\]|"type":"library_updated"/g;

interface Client {
  readonly socket: Socket;
  count: number;
  isOpen: boolean;
}

const open = ({ port, token }: Running): Promise<Client> =>
  new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1');
    const client: Client = { socket, count: 0, isOpen: false };
    socket.once('error', reject);
    socket.once('connect', () =>
      socket.write(`GET /api/v1/events/stream HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\n\r\n`),
    );
    socket.on('data', (bytes) => {
      const now = performance.now();
      const text = bytes.toString('latin1');
      if (!client.isOpen && text.includes(': connected')) {
        client.isOpen = true;
        resolve(client);
      }
      for (const _ of text.matchAll(MARK)) {
        heard[client.count]?.push(now);
        client.count += 1;
      }
    });
  });

/** Processor time of a process, in seconds. */
const cpuS = (pid: number): number => {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_S;
};

const report = (line: string): unknown => process.stdout.write(`${line}\n`);

const measureIdle = async (program: Running): Promise<void> => {
  await rest(SETTLE_MS);
  const spend = async (): Promise<number> => {
    const before = cpuS(program.pid);
    await rest(IDLE_S * 1000);
    return (100 * (cpuS(program.pid) - before)) / IDLE_S;
  };
  const without = await spend();
  const clients = await Promise.all(Array.from({ length: IDLE_STREAMS }, () => open(program)));
  const share = await spend();
  report(`idle for ${IDLE_S} s: ${without.toFixed(3)} % of a core; with ${IDLE_STREAMS} streams ${share.toFixed(3)} %`);
  for (const { socket } of clients) socket.destroy();
};

const measureMany = async (program: Running, libraryId: string): Promise<void> => {
  const before = pssMb(program.pid);
  const clients: Client[] = [];
  for (let at = 0; at < CLIENTS; at += 50)
    clients.push(...(await Promise.all(Array.from({ length: Math.min(50, CLIENTS - at) }, () => open(program)))));
  const opened = pssMb(program.pid);
  const delays: number[] = [];
  const cpu = cpuS(program.pid);
  for (let n = 0; n < WRITES; n += 1) {
    await program.call('PATCH', `/libraries/${libraryId}`, { description: `description ${n}` });
    // The answer is sent after the commit: an event that comes before it took no time.
    const answered = performance.now();
    while ((heard[n]?.length ?? 0) < clients.length) await rest(1);
    for (const at of heard[n] ?? []) delays.push(Math.max(0, at - answered));
    await rest(50);
  }
  const spent = (1000 * (cpuS(program.pid) - cpu)) / WRITES;
  const after = pssMb(program.pid);
  const each = (mb: number): string => `${((mb * 1024) / CLIENTS).toFixed(1)} kB each`;
  report(`${CLIENTS} clients: ${(opened - before).toFixed(1)} MB once open (${each(opened - before)}), `);
  report(`  after ${WRITES} events each ${(after - before).toFixed(1)} MB (${each(after - before)})`);
  const p = (share: number): string => percentile(delays, share).toFixed(1);
  report(`  from the answer to a write to its event: median ${p(0.5)} ms, p99 ${p(0.99)} ms, worst ${p(1)} ms`);
  report(`  processor time of a write and its events: ${spent.toFixed(1)} ms`);
  for (const { socket } of clients) socket.destroy();
};

const folder = join(tmpdir(), 'longbox-events');
const shelf = join(folder, 'shelf');
for (let n = 0; n < 20; n += 1) writeBook(join(shelf, `Series ${n % 4}`, `Book ${n}.cbz`), 2, String(n));
const program = await startProgram(join(folder, 'data'), false, [], { SVC_HTTP__BACKEND: BACKEND });
try {
  const libraryId = await libraryOf(program, shelf);
  await scan(program, libraryId, 'normal');
  await measureIdle(program);
  await measureMany(program, libraryId);
} finally {
  await program.stop();
}
