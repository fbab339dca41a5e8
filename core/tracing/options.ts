// Where traces go, and how many of them. The values come from the configuration.

export interface TracingOptions {
  /** Address of an OTLP collector, below which /v1/traces and /v1/metrics lie; null for no tracing at all. */
  readonly endpoint: string | null;
  /** Sent with everything that goes there, such as a key: never shown or logged. */
  readonly headers: Readonly<Record<string, string>>;
  /** Share of the requests and tasks that are traced. */
  readonly sampleRatio: number;
  readonly serviceName: string;
  readonly browser: BrowserTracing;
}

export interface BrowserTracing {
  /** Whether pages may send what they measured. */
  readonly isOn: boolean;
  readonly sampleRatio: number;
}

/** The address of one signal below that of the collector. */
export const signalAddress = (endpoint: string, signal: 'traces' | 'metrics'): string =>
  `${endpoint.replace(/\/+$/, '')}/v1/${signal}`;

const HEADER_NAME = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
/** Printable ASCII: what any HTTP client accepts. */
const HEADER_VALUE = /^[\x20-\x7e]*$/;
/** They are those of the message itself. */
const OWN_HEADERS = new Set([
  'content-type',
  'content-length',
  'content-encoding',
  'host',
  'connection',
  'transfer-encoding',
]);

const decoded = (text: string): string | null => {
  try {
    return decodeURIComponent(text.trim());
  } catch {
    return null; // a lone %
  }
};

/** `name=value,name=value`, values percent-encoded, as OTEL_EXPORTER_OTLP_HEADERS has it; null when it is something else. */
export const headersIn = (text: string): Readonly<Record<string, string>> | null => {
  const headers: Record<string, string> = {};
  for (const pair of text.split(',').filter((one) => one.trim() !== '')) {
    const at = pair.indexOf('=');
    const name = pair.slice(0, Math.max(0, at)).trim().toLowerCase();
    const value = decoded(pair.slice(at + 1));
    if (!HEADER_NAME.test(name) || OWN_HEADERS.has(name) || value === null || !HEADER_VALUE.test(value)) return null;
    headers[name] = value;
  }
  return headers;
};
