// The server under attack: the real program with a library and an administrator, and the system's view of its process.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { until } from '../app.js';
import { type Program, startProgram } from '../system/program.js';
import { type Asked, type AskOptions, ask, jsonOf } from './ask.js';

const FIRST_SCAN_MS = 180_000;

export type Backend = 'uws' | 'node';

export const ADMIN = { username: 'admin', email: 'admin@example.com', password: 'Secret123!' };

export interface Start {
  readonly data: string;
  /** Folders that become libraries; none once they are in the database. */
  readonly shelves: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  /** Limit on open descriptors. */
  readonly descriptors?: number;
  /** From an earlier start with the same data. */
  readonly token?: string;
}

export interface Book {
  readonly id: string;
  readonly path: string;
  readonly title: string;
  readonly pageCount: number;
  readonly analysisError?: string | null;
}

export class Target {
  readonly program: Program;
  readonly port: number;
  token = '';
  #code: number | null | undefined;
  #isEnded = false;
  /** Read before the process is stopped, since it is unavailable afterwards. */
  #lastPeak = 0;

  constructor(program: Program) {
    this.program = program;
    this.port = Number(new URL(program.address).port);
    void program.ended.then((code) => {
      this.#code = code;
    });
  }

  get pid(): number {
    return this.program.child.pid ?? 0;
  }

  /** How it ended; null while it runs. */
  get death(): string | null {
    if (this.#code === undefined) return null;
    const words = this.program.printed().trim().split('\n').slice(-6).join(' | ');
    return `the process ended (${this.#code === null ? 'by a signal' : `exit ${this.#code}`}): ${words}`;
  }

  /** A request below /api/v1, as the administrator. */
  api(path: string, options: AskOptions = {}): Promise<Asked> {
    return ask(`${this.program.address}/api/v1${path}`, { token: this.token, ...options });
  }

  health(options: AskOptions = {}): Promise<Asked> {
    return ask(`${this.program.address}/health`, options);
  }

  login(password: string, options: AskOptions = {}): Promise<Asked> {
    const body = { username: ADMIN.username, password };
    return ask(`${this.program.address}/api/v1/auth/login`, { method: 'POST', body, ...options });
  }

  async books(): Promise<readonly Book[]> {
    return jsonOf(await this.api('/books?pageSize=500')).data ?? [];
  }

  async bookNamed(name: string): Promise<Book> {
    const found = (await this.books()).find(({ path }) => path.endsWith(`/${name}`));
    if (found === undefined) throw new Error(`the library has no ${name}: ${this.death ?? 'the server runs'}`);
    return found;
  }

  /** Starts a scan and waits for its end. */
  async scan(mode: 'normal' | 'deep', deadlineMs = 60_000): Promise<void> {
    const libraries: readonly { id: string }[] = jsonOf(await this.api('/libraries')).data ?? [];
    for (const { id } of libraries) {
      await until('a scan may start', async () => {
        const { status } = await this.api(`/libraries/${id}/scan?mode=${mode}`, { method: 'POST' });
        return status === 200 || this.death !== null;
      });
    }
    await this.settled(deadlineMs);
  }

  /** Waits until no scan runs. */
  async settled(deadlineMs = 60_000): Promise<void> {
    await until(
      'the scans end',
      async () => {
        if (this.death !== null) throw new Error(this.death);
        const active = await this.api('/scans/active');
        return active.status === 200 && jsonOf(active).length === 0;
      },
      deadlineMs,
    );
  }

  /** True when it exited by itself in time; otherwise it is killed. */
  async stop(graceMs = 15_000): Promise<boolean> {
    this.#endHere();
    this.program.child.kill('SIGTERM');
    const timer = setTimeout(() => this.program.child.kill('SIGKILL'), graceMs);
    const code = await this.program.ended;
    clearTimeout(timer);
    return code === 0;
  }

  async kill(): Promise<void> {
    this.#endHere();
    this.program.child.kill('SIGKILL');
    await this.program.ended;
  }

  /** True when it ended on its own. */
  get isFallen(): boolean {
    return this.death !== null && !this.#isEnded;
  }

  #endHere(): void {
    this.#lastPeak = this.peakBytes();
    this.#isEnded = this.death === null || this.#isEnded;
  }

  peakSeen(): number {
    return Math.max(this.#lastPeak, this.peakBytes());
  }

  /** Its open descriptors; 0 where the system does not tell. */
  descriptors(): number {
    return read(() => readdirSync(`/proc/${this.pid}/fd`).length);
  }

  /** The highest resident memory since `forgetPeak`. */
  peakBytes(): number {
    return read(() => field(`/proc/${this.pid}/status`, /VmHWM:\s+(\d+) kB/));
  }

  /** Proportional set size: shared memory is divided among the sharing processes. */
  pssBytes(): number {
    return read(() => field(`/proc/${this.pid}/smaps_rollup`, /^Pss:\s+(\d+) kB/m));
  }

  forgetPeak(): void {
    read(() => {
      writeFileSync(`/proc/${this.pid}/clear_refs`, '5');
      return 0;
    });
  }

  /**
   * Established connections as the system counts them, also those whose client does not read. Only those of the server's own address: a
   * client at another one may have the port of the server as its own, and stays connected for as long as it reads nothing.
   */
  connections(): number {
    const port = this.port.toString(16).toUpperCase().padStart(4, '0');
    return read(
      () =>
        readFileSync('/proc/net/tcp', 'latin1').match(new RegExp(`^\\s*\\d+: 0100007F:${port} \\w+:\\w+ 01 `, 'gm'))
          ?.length ?? 0,
    );
  }
}

/** 0 where there is no /proc, or the process is gone. */
const read = (look: () => number): number => {
  try {
    return look();
  } catch {
    return 0;
  }
};

const field = (path: string, pattern: RegExp): number =>
  Number(pattern.exec(readFileSync(path, 'latin1'))?.[1] ?? 0) * 1024;

export const startTarget = async (backend: Backend, start: Start): Promise<Target> => {
  const { data, shelves, environment = {}, descriptors, token } = start;
  const program = await startProgram(
    [...shelves, '--data', data],
    { SVC_HTTP__BACKEND: backend, MALLOC_ARENA_MAX: '1', MALLOC_MMAP_THRESHOLD_: '1048576', ...environment },
    descriptors,
  );
  const target = new Target(program);
  target.token = token ?? jsonOf(await target.api('/setup/initialize', { method: 'POST', body: ADMIN })).access_token;
  if (shelves.length > 0) {
    const ends = (): number => program.printed().match(/scan of .* \w+: \d+ books?\b/g)?.length ?? 0;
    await until('the first scans end', () => target.death !== null || ends() >= shelves.length, FIRST_SCAN_MS);
  }
  return target;
};

export const secretsIn = (data: string): readonly Buffer[] =>
  readdirSync(join(data, 'secrets')).map((name) => readFileSync(join(data, 'secrets', name)));
