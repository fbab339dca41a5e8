// Legitimate readers, in a separate process so that the attack does not distort their latency: a few users who turn pages at a steady pace on
// keep-alive connections. Reports when they begin; on SIGTERM prints the results and exits.
import { Agent, get } from 'node:http';

interface Plan {
  readonly address: string;
  readonly token: string;
  readonly paths: readonly string[];
  readonly readers: number;
  readonly everyMs: number;
}

export interface Met {
  readonly answers: number;
  /** Answers other than 200 and failed connections, by message. */
  readonly failures: Readonly<Record<string, number>>;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

const DEADLINE_MS = 20_000;

const turn = (plan: Plan, agent: Agent, path: string): Promise<string> =>
  new Promise((resolve) => {
    const asked = get(
      `${plan.address}${path}`,
      { agent, headers: { authorization: `Bearer ${plan.token}` } },
      (reply) => {
        reply.resume();
        reply.once('end', () => resolve(String(reply.statusCode)));
        reply.once('error', (error) => resolve(error.message));
      },
    );
    asked.setTimeout(DEADLINE_MS, () => asked.destroy(new Error('no answer in time')));
    asked.once('error', (error) => resolve(error.message));
  });

const read = async (plan: Plan): Promise<void> => {
  const times: number[] = [];
  const failures: Record<string, number> = {};
  let isOver = false;
  process.once('SIGTERM', () => {
    isOver = true;
  });
  const reader = async (n: number): Promise<void> => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    for (let at = n; !isOver; at += 1) {
      const started = performance.now();
      const words = await turn(plan, agent, plan.paths[at % plan.paths.length] ?? '/health');
      times.push(performance.now() - started);
      if (words !== '200') failures[words] = (failures[words] ?? 0) + 1;
      await new Promise((resolve) => setTimeout(resolve, plan.everyMs));
    }
    agent.destroy();
  };
  process.stdout.write('reading\n');
  await Promise.all(Array.from({ length: plan.readers }, (_, n) => reader(n)));
  times.sort((a, b) => a - b);
  const at = (share: number): number => times[Math.floor(times.length * share)] ?? 0;
  const met: Met = { answers: times.length, failures, p50Ms: at(0.5), p99Ms: at(0.99) };
  process.stdout.write(JSON.stringify(met));
};

await read(JSON.parse(process.argv[2] ?? '{}') as Plan);
