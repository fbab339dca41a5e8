// The clock. All code uses it instead of the system time, so that tests can control it.

export interface Clock {
  /** Milliseconds since the epoch. May jump either way, when somebody or the network sets the time. */
  now(): number;
  /** Milliseconds since some moment of this process, for durations and deadlines in memory: it never jumps. */
  elapsed(): number;
}

export const systemClock: Clock = { now: () => Date.now(), elapsed: () => performance.now() };
