// Whether bytes are an OTLP export request of one signal. Only the fields down to the single spans or metrics are looked at: the wire format
// of protobuf, the numbers of opentelemetry-proto 1.x, and bounds. Builds nothing.

export type Signal = 'traces' | 'metrics';

/** Spans, or metrics, of one message. */
const ITEMS_MAX = 4096;
const VARINT_BYTES_MAX = 10;
/** Of a field number, in protobuf. */
const FIELD_MAX = 2 ** 29 - 1;

class Malformed extends Error {}

/** Reads one message, field by field. */
class Fields {
  readonly #bytes: Uint8Array;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  /** Calls back with the content of fields that have one, and with null for numbers. */
  each(onField: (field: number, content: Uint8Array | null) => void): void {
    while (this.#at < this.#bytes.length) {
      const tag = this.#varint();
      const field = Math.floor(tag / 8);
      if (field === 0 || field > FIELD_MAX) throw new Malformed();
      onField(field, this.#content(tag % 8));
    }
  }

  #content(wireType: number): Uint8Array | null {
    if (wireType === 0) this.#varint();
    else if (wireType === 1) this.#take(8);
    else if (wireType === 2) return this.#take(this.#varint());
    else if (wireType === 5) this.#take(4);
    else throw new Malformed();
    return null;
  }

  #take(length: number): Uint8Array {
    if (length > this.#bytes.length - this.#at) throw new Malformed();
    this.#at += length;
    return this.#bytes.subarray(this.#at - length, this.#at);
  }

  #varint(): number {
    let value = 0;
    for (let n = 0; n < VARINT_BYTES_MAX; n += 1) {
      const byte = this.#bytes[this.#at];
      if (byte === undefined) throw new Malformed();
      this.#at += 1;
      value += (byte % 128) * 128 ** n;
      if (byte < 128) return value;
    }
    throw new Malformed();
  }
}

/** The contents of one repeated message field; all others are only checked for their form. */
const nested = (bytes: Uint8Array, wanted: number): readonly Uint8Array[] => {
  const found: Uint8Array[] = [];
  new Fields(bytes).each((field, content) => {
    if (field !== wanted) return;
    if (content === null || found.length >= ITEMS_MAX) throw new Malformed();
    found.push(content);
  });
  return found;
};

/** trace_id = 1 and span_id = 2: every span has them, in these lengths. */
const checkSpan = (bytes: Uint8Array): void => {
  const lengths = new Map<number, number>();
  new Fields(bytes).each((field, content) => {
    if (content !== null) lengths.set(field, content.length);
  });
  if (lengths.get(1) !== 16 || lengths.get(2) !== 8) throw new Malformed();
};

/** gauge, sum, histogram, exponential_histogram, summary. */
const METRIC_DATA = new Set([5, 7, 9, 10, 11]);

/** name = 1, which is not empty, and exactly one kind of data. A span has numbers in these fields (its times are 7 and 8). */
const checkMetric = (bytes: Uint8Array): void => {
  let isNamed = false;
  let kinds = 0;
  new Fields(bytes).each((field, content) => {
    if (field === 1) isNamed = content !== null && content.length > 0;
    if (!METRIC_DATA.has(field)) return;
    if (content === null) throw new Malformed();
    kinds += 1;
  });
  if (!isNamed || kinds !== 1) throw new Malformed();
};

const CHECKS = { traces: checkSpan, metrics: checkMetric } as const satisfies Record<Signal, unknown>;

/** resource_spans or resource_metrics = 1, in each scope_spans or scope_metrics = 2, in each spans or metrics = 2. */
export const isExportRequest = (bytes: Uint8Array, signal: Signal): boolean => {
  try {
    const items = nested(bytes, 1)
      .flatMap((resource) => nested(resource, 2))
      .flatMap((scope) => nested(scope, 2));
    if (items.length === 0 || items.length > ITEMS_MAX) return false;
    for (const item of items) CHECKS[signal](item);
    return true;
  } catch (thrown) {
    if (thrown instanceof Malformed) return false;
    throw thrown;
  }
};
