// One job as a part of a trace: how long it waited for a thread, and the steps that the thread reports with its result.
import { faultOf } from '../model/errors.js';
import type { Outcome } from '../model/jobs.js';
import { monotonicMs } from '../model/monotonic.js';
import { type Attributes, NO_SPAN, NO_TRACING, type Span, type Tracing } from '../model/tracing.js';

export interface JobSpan {
  /** It was handed to a thread; again if it lost that one. */
  started(): void;
  ended(outcome: Outcome<unknown>): void;
}

export const NO_JOB_SPAN: JobSpan = { started: () => undefined, ended: () => undefined };

/** What of a result is worth knowing: the format of a book or an image, and bytes. */
const factsOf = (value: unknown): Attributes => {
  if (typeof value !== 'object' || value === null) return {};
  return {
    ...('format' in value && typeof value.format === 'string' ? { 'longbox.format': value.format } : {}),
    ...('bytes' in value && value.bytes instanceof Uint8Array ? { 'longbox.bytes': value.bytes.byteLength } : {}),
    ...('sizeBytes' in value && typeof value.sizeBytes === 'number' ? { 'longbox.file_bytes': value.sizeBytes } : {}),
  };
};

const jobSpan = (span: Span): JobSpan => {
  let queuedMs = monotonicMs();
  return {
    started: () => {
      const now = monotonicMs();
      span.part('wait for a thread', queuedMs, now);
      queuedMs = now;
    },
    ended: (outcome) => {
      for (const { step, startMs, ms } of outcome.times) span.part(`step ${step}`, startMs, startMs + ms);
      if (outcome.ok) span.set(factsOf(outcome.value));
    },
  };
};

/** Runs a job as a part of the trace that asks for it. */
export const tracedJob = <T>(
  tracing: Tracing = NO_TRACING,
  name: string,
  lane: string,
  run: (span: JobSpan) => Promise<T>,
): Promise<T> => {
  const span = tracing.begin(`job ${name}`, { 'longbox.lane': lane });
  if (span === NO_SPAN) return run(NO_JOB_SPAN);
  return run(jobSpan(span)).then(
    (value) => {
      span.end();
      return value;
    },
    (thrown: unknown) => {
      span.end(faultOf(thrown).kind);
      throw thrown;
    },
  );
};
