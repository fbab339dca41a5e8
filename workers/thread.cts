// What Piscina loads into a thread. CommonJS on purpose: Piscina requires its file, newer Nodes require ES modules too, and a thread that is
// terminated meanwhile then ends the whole process (seen with Node 22.23: "IsGraphAsync must be used on an instantiated module").
/** What build/program.ts makes of ./entry.js. */
const ENTRY = '../http/program/entry.js';

const load = () => import(ENTRY) as Promise<typeof import('./entry.js')>;

let entry: ReturnType<typeof load> | undefined;

/** What could not be loaded, for want of file descriptors, is tried again for the next jobs. */
const loaded = (): ReturnType<typeof load> => {
  entry ??= load().catch((thrown: unknown) => {
    entry = undefined;
    throw thrown;
  });
  return entry;
};

const run: Awaited<ReturnType<typeof load>>['run'] = async (jobs) => (await loaded()).run(jobs);

module.exports = { run };
