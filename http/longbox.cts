#!/usr/bin/env -S MALLOC_ARENA_MAX=1 MALLOC_MMAP_THRESHOLD_=1048576 node
// The launcher: sets what must be set before anything uses libuv's thread pool or loads the socket library, then runs main. The C library
// reads MALLOC_ARENA_MAX (one arena, so that freed memory is reused) and MALLOC_MMAP_THRESHOLD_ (decoded images are returned to the system when
// they are freed) when the process begins, so they are set above and in the start script.
// CommonJS and old syntax on purpose: an ES module would be loaded through that pool, and an old Node must get as far as the message.
const fs: typeof import('node:fs') = require('node:fs');
const os: typeof import('node:os') = require('node:os');

/** What build/program.ts makes of ./cli/main.js. */
const PROGRAM = `${__dirname}/program/main.cjs`;

/** The first releases of these lines that load ES modules with `require`. */
const NEEDED: Readonly<Record<number, number>> = { 20: 19, 22: 12 };
const NEEDED_IN_WORDS = 'Node 20.19 or newer, 22.12 or newer, 24, or a later one';
const NEWEST_TOO_OLD = 21;
/**
 * Image work runs on libuv's threads, one for each core; the rest keeps file reads from waiting behind it. A disk that does not answer may
 * hold a third of all; however many do, other libraries keep some, and everything else a third.
 */
const SPARE_THREADS = 10;
/**
 * More of them for jobs that read from a slow disk, several places of a file at once: eight for each thread that may run jobs, or be blocked
 * on a disk (core/engine/pool.ts), by default.
 */
const READS_PER_JOB = 8;
const READ_THREADS_MAX = 256;

const isNodeTooOld = (version: string): boolean => {
  const parts = version.split('.').map(Number);
  const major = parts[0] || 0;
  const minor = parts[1] || 0;
  const needed = NEEDED[major];
  return needed === undefined ? major <= NEWEST_TOO_OLD : minor < needed;
};

/** A server that has just started holds about 130; the rest is for threads, books and connections. */
const DESCRIPTORS_NEEDED = 384;

/** How many files the process may open, where the system reports it. Node has by now raised the limit as far as it may. */
const descriptorLimit = (): number => {
  try {
    const found = /^Max open files +(\d+)/m.exec(fs.readFileSync('/proc/self/limits', 'utf8'));
    return found === null ? Infinity : Number(found[1]);
  } catch {
    return Infinity; // not Linux
  }
};

const setUnlessGiven = (name: string, value: number): void => {
  if (!process.env[name]) process.env[name] = String(value);
};

const launch = async (): Promise<number> => {
  const cores = os.availableParallelism();
  if (!process.env.UV_THREADPOOL_SIZE) {
    const reads = Math.min(READ_THREADS_MAX, READS_PER_JOB * (2 * (cores + 2) + 1));
    process.env.JOB_READ_THREADS = String(reads);
    process.env.UV_THREADPOOL_SIZE = String(cores + SPARE_THREADS + reads);
  }
  setUnlessGiven('UWS_HTTP_MAX_HEADERS_SIZE', 16384);
  const { run }: { run: (file: string) => unknown } = require('./kept-code.cjs');
  const { main } = run(PROGRAM) as typeof import('./cli/main.js');
  return main(process.argv.slice(2));
};

const end = (code: number): void => {
  process.exitCode = code;
  // After a failure something half started may keep the process alive, so exit explicitly; after success nothing should be left running.
  if (code !== 0) process.exit(code);
};

if (isNodeTooOld(process.versions.node)) {
  console.error(`Longbox needs ${NEEDED_IN_WORDS}; this is Node ${process.versions.node}. Please install a newer one.`);
  end(1);
} else if (descriptorLimit() < DESCRIPTORS_NEEDED) {
  console.error(
    `Longbox needs a limit of at least ${DESCRIPTORS_NEEDED} open files; the limit here is ${descriptorLimit()}. Raise it: "ulimit -n 4096" in a shell, LimitNOFILE=4096 in a systemd unit, --ulimit nofile=4096 for a container.`,
  );
  end(1);
} else {
  launch().then(end, (thrown: unknown) => {
    console.error(thrown);
    end(1);
  });
}
