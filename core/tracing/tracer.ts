// The tracer that the server uses when a collector is configured: roots for requests and tasks, and below them what the rest of the engine
// reports. Bounds the spans of a trace. Knows no SDK (otel.ts does).
import { AsyncLocalStorage } from 'node:async_hooks';
import { faultOf } from '../model/errors.js';
import { monotonicMs } from '../model/monotonic.js';
import { type Attributes, NO_SPAN, type Span, type Tracing } from '../model/tracing.js';

/** A span of the SDK; times in milliseconds since the epoch. */
export interface Sink {
  child(name: string, startMs: number): Sink;
  set(attributes: Attributes): void;
  end(endMs: number, failure: string | undefined): void;
}

export interface RootOptions {
  readonly kind: 'request' | 'task';
  /** Header of that name; '' for none. */
  readonly traceparent: string;
  /** Whether whoever sent it may decide that the trace is sampled. */
  readonly isTrusted: boolean;
  readonly startMs: number;
}

/** Opens a root; null when it is not sampled. */
export type OpenRoot = (name: string, options: RootOptions) => Sink | null;

/** What requests and tasks use. */
export interface Tracer extends Tracing {
  /** Null when this one is not traced. `sinceMs`: it began earlier than now. */
  root(
    name: string,
    from: Pick<RootOptions, 'kind'> &
      Partial<Pick<RootOptions, 'traceparent' | 'isTrusted'>> & { readonly sinceMs?: number },
  ): Root | null;
}

/** The beginning of a trace. What is done in `run` belongs to it until it ends. */
export interface Root extends Span {
  run<T>(act: () => T): T;
}

/** Of one trace, besides its phases; the rest is counted in an attribute of the root. */
export const SPANS_MAX = 256;

/** What the spans of one trace share. */
interface Trace {
  /** Added to `monotonicMs`. */
  readonly epochMs: number;
  spans: number;
  leftOut: number;
  isOver: boolean;
}

class SinkSpan implements Span {
  readonly sink: Sink;
  readonly trace: Trace;
  #hasEnded = false;

  constructor(sink: Sink, trace: Trace) {
    this.sink = sink;
    this.trace = trace;
  }

  set(attributes: Attributes): void {
    if (!this.#hasEnded) this.sink.set(attributes);
  }

  part(name: string, startMs: number, endMs: number): void {
    if (this.#hasEnded || !hasRoom(this.trace)) return;
    const { epochMs } = this.trace;
    this.sink.child(name, startMs + epochMs).end(Math.max(startMs, endMs) + epochMs, undefined);
  }

  end(failure?: string): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    this.sink.end(monotonicMs() + this.trace.epochMs, failure);
  }
}

/** Work that a request left behind may go on after its end: it belongs to no trace then. */
const hasRoom = (trace: Trace): boolean => {
  if (trace.isOver) return false;
  if (trace.spans >= SPANS_MAX) {
    trace.leftOut += 1;
    return false;
  }
  trace.spans += 1;
  return true;
};

export const tracerOf = (open: OpenRoot): Tracer => {
  const current = new AsyncLocalStorage<SinkSpan | undefined>();
  const childOf = (above: SinkSpan, name: string): SinkSpan =>
    new SinkSpan(above.sink.child(name, monotonicMs() + above.trace.epochMs), above.trace);
  const begin: Tracer['begin'] = (name, attributes) => {
    const above = current.getStore();
    if (above === undefined || !hasRoom(above.trace)) return NO_SPAN;
    const span = childOf(above, name);
    if (attributes !== undefined) span.set(attributes);
    return span;
  };
  const phase: Tracer['phase'] = async (name, act) => {
    const above = current.getStore();
    if (above === undefined || above.trace.isOver) return act();
    const span = childOf(above, name);
    try {
      const value = await current.run(span, act);
      span.end();
      return value;
    } catch (thrown) {
      span.end(faultOf(thrown).kind);
      throw thrown;
    }
  };
  const root: Tracer['root'] = (name, { kind, traceparent = '', isTrusted = false, sinceMs = monotonicMs() }) => {
    const epochMs = Date.now() - monotonicMs();
    const sink = open(name, { kind, traceparent, isTrusted, startMs: sinceMs + epochMs });
    if (sink === null) return null;
    const trace: Trace = { epochMs, spans: 0, leftOut: 0, isOver: false };
    const span = new SinkSpan(sink, trace);
    return {
      set: (attributes) => span.set(attributes),
      part: (part, startMs, endMs) => span.part(part, startMs, endMs),
      end: (failure) => {
        if (trace.leftOut > 0) span.set({ 'longbox.spans_left_out': trace.leftOut });
        trace.isOver = true;
        span.end(failure);
      },
      run: (act) => current.run(span, act),
    };
  };
  const task: Tracer['task'] = async (name, act) => {
    const whole = root(name, { kind: 'task' });
    if (whole === null) return current.exit(act); // it may have been started by a request that is traced
    try {
      const value = await whole.run(act);
      whole.end();
      return value;
    } catch (thrown) {
      whole.end(faultOf(thrown).kind);
      throw thrown;
    }
  };
  return { isOn: true, begin, phase, task, root };
};
