// A pool whose threads start nothing until they are let go.
import type { TempApp } from './app.js';

/** Returns what lets all waiting jobs start. */
export const held = ({ app: { pool } }: TempApp): (() => void) => {
  const { run } = pool;
  let open = (): void => undefined;
  const gate = new Promise<void>((resolve) => {
    open = resolve;
  });
  pool.run = async (name, input, options) => {
    await gate;
    return run.call(pool, name, input, options) as never;
  };
  return open;
};
