// The real program as a child process: started, asked over its real socket, ended by signals.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { STRAY_FAULT } from '../../http/cli/stray-faults.js';
import { PATIENCE } from '../kit.js';
import { programSecrets, programs } from '../secret-watch.js';

const PROGRAM = fileURLToPath(new URL('../../http/longbox.cjs', import.meta.url));
const START_MS = 20_000 * PATIENCE;

export interface Program {
  readonly child: ChildProcess;
  readonly address: string;
  /** All it printed so far, both streams. */
  printed(): string;
  /** Exit code, or null after a signal. */
  readonly ended: Promise<number | null>;
}

/** The command that starts it; under a shell that lowers the limit of descriptors first, where one is given. */
const commandOf = (args: readonly string[], descriptors: number | undefined): readonly [string, string[]] => {
  const own = [PROGRAM, ...args];
  if (descriptors === undefined) return [process.execPath, own];
  return ['sh', ['-c', 'ulimit -n "$0" && exec "$@"', String(descriptors), process.execPath, ...own]];
};

export const spawnProgram = (
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
  descriptors?: number,
  /** Whose rights it has; those of the tests unless told. */
  user?: number,
): { child: ChildProcess; printed: () => string; ended: Promise<number | null> } => {
  const child = spawn(...commandOf(args, descriptors), {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...environment },
    ...(user === undefined ? {} : { uid: user, gid: user }),
  });
  let text = '';
  child.stdout?.on('data', (chunk) => {
    text += String(chunk);
  });
  child.stderr?.on('data', (chunk) => {
    text += String(chunk);
  });
  for (const [name, value] of Object.entries(environment)) programSecrets.addSetting(name, value);
  const file = args[args.indexOf('--config') + 1];
  if (args.includes('--config') && file !== undefined && existsSync(file))
    programSecrets.addFile(readFileSync(file, 'utf8'));
  // Not its exit: what it printed last may come after that.
  const ended = once(child, 'close').then(([code]) => {
    programSecrets.search(text, `what "${args.join(' ')}" printed`);
    // Also where nobody waits for the end: then the runner of the tests fails.
    if (text.includes(STRAY_FAULT)) throw new Error(`something was left to the last net: ${text}`);
    return typeof code === 'number' ? code : null;
  });
  programs.add(ended);
  void ended.finally(() => programs.delete(ended));
  return { child, printed: () => text, ended };
};

/** Resolves when the ready line is there; rejects with what was printed when the program ends before. */
export const startProgram = async (
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
  descriptors?: number,
): Promise<Program> => {
  const started = spawnProgram(['serve', ...args, '--port', '0', '--host', '127.0.0.1'], environment, descriptors);
  const limit = Date.now() + START_MS;
  let over = false;
  void started.ended.then(() => {
    over = true;
  });
  for (;;) {
    const address = /longbox listening on (http:\/\/[^\s"]+)/.exec(started.printed())?.[1];
    if (address !== undefined) return { ...started, address };
    if (over || Date.now() > limit) throw new Error(`the program did not start: ${started.printed()}`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
};

/** Ends it the way the system does when it has had enough. */
export const kill = async (program: Program): Promise<void> => {
  program.child.kill('SIGKILL');
  await program.ended;
};
