// A collector on a port of its own: takes OTLP over HTTP, and reads it with a decoder that is not ours.
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { PbfReader } from 'pbf';

export interface Received {
  readonly name: string;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentId: string;
  readonly kind: number;
  readonly startNs: bigint;
  readonly endNs: bigint;
  readonly attributes: Readonly<Record<string, string | number | boolean>>;
  readonly isError: boolean;
}

export interface Post {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

export interface Collector {
  readonly address: string;
  readonly posts: readonly Post[];
  readonly spans: readonly Received[];
  /** Names of the services that sent them. */
  readonly services: ReadonlySet<string>;
  /** How it answers from now on; 200 unless told. */
  answer: (request: IncomingMessage, response: ServerResponse) => void;
  close(): Promise<void>;
}

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');

type Attribute = string | number | boolean;

const scalarOf = (reader: PbfReader, end: number): Attribute =>
  reader.readFields<{ value: Attribute }>(
    (field, found) => {
      if (field === 1) found.value = reader.readString();
      else if (field === 2) found.value = reader.readBoolean();
      else if (field === 3) found.value = reader.readVarint(true);
      else if (field === 4) found.value = reader.readDouble();
    },
    { value: '' },
    end,
  ).value;

const attributeOf = (reader: PbfReader, end: number): [string, Attribute] => {
  const pair: [string, Attribute] = ['', ''];
  reader.readFields(
    (field) => {
      if (field === 1) pair[0] = reader.readString();
      else if (field === 2) pair[1] = scalarOf(reader, reader.readVarint() + reader.pos);
    },
    null,
    end,
  );
  return pair;
};

const fixed64 = (reader: PbfReader): bigint => {
  const low = BigInt(reader.readFixed32());
  return (BigInt(reader.readFixed32()) << 32n) | low;
};

const spanOf = (reader: PbfReader, end: number): Received => {
  const span = {
    name: '',
    traceId: '',
    spanId: '',
    parentId: '',
    kind: 0,
    startNs: 0n,
    endNs: 0n,
    attributes: {} as Record<string, Attribute>,
    isError: false,
  };
  const below = (): number => reader.readVarint() + reader.pos;
  reader.readFields(
    (field) => {
      if (field === 1) span.traceId = hex(reader.readBytes());
      else if (field === 2) span.spanId = hex(reader.readBytes());
      else if (field === 4) span.parentId = hex(reader.readBytes());
      else if (field === 5) span.name = reader.readString();
      else if (field === 6) span.kind = reader.readVarint();
      else if (field === 7) span.startNs = fixed64(reader);
      else if (field === 8) span.endNs = fixed64(reader);
      else if (field === 9) {
        const [name, value] = attributeOf(reader, below());
        span.attributes[name] = value;
      } else if (field === 15)
        reader.readFields(
          (status) => {
            if (status === 3) span.isError = reader.readVarint() === 2;
          },
          null,
          below(),
        );
    },
    null,
    end,
  );
  return span;
};

/** Field `wanted` of a message, each time it is there. */
const each = (reader: PbfReader, end: number, onField: Readonly<Record<number, (end: number) => void>>): void => {
  reader.readFields(
    (field) => {
      const read = onField[field];
      if (read !== undefined) read(reader.readVarint() + reader.pos);
    },
    null,
    end,
  );
};

const decode = (body: Buffer, onService: (name: string) => void): Received[] => {
  const spans: Received[] = [];
  const reader = new PbfReader(body);
  const resource = (end: number): void =>
    each(reader, end, {
      1: (attribute) => {
        const [name, value] = attributeOf(reader, attribute);
        if (name === 'service.name') onService(String(value));
      },
    });
  const scope = (end: number): void => each(reader, end, { 2: (span) => spans.push(spanOf(reader, span)) });
  each(reader, body.length, { 1: (end) => each(reader, end, { 1: resource, 2: scope }) });
  return spans;
};

export const startCollector = async (): Promise<Collector> => {
  const posts: Post[] = [];
  const spans: Received[] = [];
  const services = new Set<string>();
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const body = Buffer.concat(chunks);
      posts.push({ path: request.url ?? '', headers: request.headers, body });
      if (request.url?.endsWith('/v1/traces')) spans.push(...decode(body, (name) => services.add(name)));
      collector.answer(request, response);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const collector: Collector = {
    address: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    posts,
    spans,
    services,
    answer: (_request, response) => response.end(),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  return collector;
};

/** The spans of one trace as an indented text, the parts of each in the order of their start. */
export const treeOf = (spans: readonly Received[], root: Received, depth = 0): readonly string[] => [
  `${'  '.repeat(depth)}${root.name}`,
  ...spans
    .filter(({ parentId, traceId }) => traceId === root.traceId && parentId === root.spanId)
    .sort((a, b) => (a.startNs < b.startNs ? -1 : Number(a.startNs > b.startNs)))
    .flatMap((part) => treeOf(spans, part, depth + 1)),
];
