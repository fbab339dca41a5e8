// The OpenTelemetry SDK, and the only file that imports it. Loaded when a collector is configured, and not before.
import {
  type Attributes as OtelAttributes,
  type Span as OtelSpan,
  type Tracer as OtelTracer,
  ROOT_CONTEXT,
  type SpanContext,
  SpanKind,
  SpanStatusCode,
  TraceFlags,
  trace,
} from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import { resourceFromAttributes } from '@opentelemetry/resources';
import {
  BatchSpanProcessor,
  ParentBasedSampler,
  type ReadableSpan,
  type SpanExporter,
  type SpanProcessor,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import { signalAddress, type TracingOptions } from './options.js';
import type { OpenRoot, Sink } from './tracer.js';

export interface SdkOptions extends TracingOptions {
  readonly endpoint: string;
  /** Called with the result of each attempt to send spans; `failure` is a word or a number, never what the collector said. */
  readonly onSent: (spans: number, failure: string | null) => void;
  /** Called with spans for which the queue had no room. */
  readonly onDropped: (spans: number) => void;
}

export interface Sdk {
  readonly open: OpenRoot;
  /** Sends what is waiting. May take as long as the collector does. */
  close(): Promise<void>;
}

/** Spans that wait to be sent; more are dropped. */
const QUEUE_MAX = 4096;
const BATCH_MAX = 512;
const SEND_EVERY_MS = 2000;
const SEND_DEADLINE_MS = 5000;

/** https://www.w3.org/TR/trace-context/#traceparent-header; later versions may add fields. */
const TRACEPARENT = /^(?!ff)[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;

export const parentIn = (traceparent: string): SpanContext | null => {
  const [, traceId, spanId, flags = '', rest] = TRACEPARENT.exec(traceparent) ?? [];
  if (traceId === undefined || spanId === undefined) return null;
  if (traceparent.startsWith('00') && rest !== undefined) return null;
  return { traceId, spanId, traceFlags: Number.parseInt(flags, 16) & 1, isRemote: true };
};

/** Chance, and not the trace id: a client could choose one that is sampled. */
const withChance = (parent: SpanContext | null, ratio: number): SpanContext | null =>
  parent === null || Math.random() < ratio ? parent : { ...parent, traceFlags: TraceFlags.NONE };

const KINDS = { request: SpanKind.SERVER, task: SpanKind.INTERNAL } as const;

const sinkOf = (tracer: OtelTracer, span: OtelSpan): Sink => ({
  child: (name, startTime) => sinkOf(tracer, tracer.startSpan(name, { startTime }, trace.setSpan(ROOT_CONTEXT, span))),
  set: (attributes) => span.setAttributes(attributes as OtelAttributes),
  end: (endMs, failure) => {
    if (failure !== undefined) {
      span.setAttribute('error.type', failure);
      span.setStatus({ code: SpanStatusCode.ERROR });
    }
    span.end(endMs);
  },
});

/** What kept the spans from being sent, in a word: texts of the collector may hold anything. */
const reasonOf = (error: unknown): string => {
  if (typeof error !== 'object' || error === null || !('code' in error)) return 'no answer in time';
  const { code } = error;
  return typeof code === 'number' ? `status ${code}` : (/^[A-Z_0-9]{1,40}$/.exec(String(code))?.[0] ?? 'no answer');
};

const SUCCESS = 0;

/** Counts what is sent and what is dropped; the SDK does neither. */
class CountedSpans implements SpanExporter, SpanProcessor {
  readonly #exporter: SpanExporter;
  readonly #batches: SpanProcessor;
  readonly #options: SdkOptions;
  /** Given to the processor, and not yet taken from it. */
  #waiting = 0;

  constructor(exporter: SpanExporter, options: SdkOptions) {
    this.#exporter = exporter;
    this.#options = options;
    this.#batches = new BatchSpanProcessor({
      exporter: this,
      maxQueueSize: QUEUE_MAX,
      maxExportBatchSize: BATCH_MAX,
      scheduledDelayMillis: SEND_EVERY_MS,
      exportTimeoutMillis: SEND_DEADLINE_MS * 2,
    });
  }

  onStart(): void {}

  onEnd(span: ReadableSpan): void {
    if (this.#waiting >= QUEUE_MAX) {
      this.#options.onDropped(1);
      return;
    }
    this.#waiting += 1;
    this.#batches.onEnd(span);
  }

  export(spans: ReadableSpan[], done: Parameters<SpanExporter['export']>[1]): void {
    this.#waiting -= spans.length;
    this.#exporter.export(spans, (result) => {
      this.#options.onSent(spans.length, result.code === SUCCESS ? null : reasonOf(result.error));
      done({ code: SUCCESS }); // told here; the SDK would print it as well
    });
  }

  forceFlush(): Promise<void> {
    return this.#batches.forceFlush();
  }

  /** The processor calls it too, as its exporter. */
  #closing: Promise<void> | undefined;

  async shutdown(): Promise<void> {
    if (this.#closing !== undefined) return this.#exporter.shutdown();
    this.#closing = this.#batches.shutdown();
    return this.#closing;
  }
}

export const openSdk = (options: SdkOptions): Sdk => {
  const { endpoint, headers, sampleRatio, serviceName } = options;
  const exporter = new OTLPTraceExporter({
    url: signalAddress(endpoint, 'traces'),
    headers: { ...headers },
    timeoutMillis: SEND_DEADLINE_MS,
    concurrencyLimit: QUEUE_MAX / BATCH_MAX + 1, // at the end all that waits is sent at once
  });
  const provider = new TracerProvider({
    resource: resourceFromAttributes({ 'service.name': serviceName }),
    sampler: new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(sampleRatio) }),
    spanProcessors: [new CountedSpans(exporter, options)],
  });
  const tracer = provider.getTracer('longbox');
  return {
    open: (name, { kind, traceparent, isTrusted, startMs }) => {
      const parent = isTrusted ? parentIn(traceparent) : withChance(parentIn(traceparent), sampleRatio);
      const context = parent === null ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, parent);
      const span = tracer.startSpan(name, { kind: KINDS[kind], startTime: startMs }, context);
      return span.isRecording() ? sinkOf(tracer, span) : null;
    },
    close: () => provider.shutdown(),
  };
};
