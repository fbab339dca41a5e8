// What an HTTP back-end must do: hand a request in, write a reply out. Only types, and the rules both back-ends share; no socket here.

import type { ReadPart } from '../../core/pages/open-files.js';
import type { SecurityHeaders } from './security-headers.js';

/** A request as it arrived. Header names are in lower case. Everything is copied, so it stays valid after the callback that made it. */
export interface Request {
  /** Upper case. */
  readonly method: string;
  /** Raw path: starts with `/`, not percent-decoded, without the query. */
  readonly path: string;
  /** Raw query without `?`; '' when there is none. */
  readonly query: string;
  /** Value of a header by its lower-case name; '' when absent. */
  header(name: string): string;
  /** Whether a header of this lower-case name was sent: its value may be empty. */
  has(name: string): boolean;
  /** Peer address, IPv4 in dotted form even on a dual-stack socket. */
  readonly remoteAddress: string;
  /** The whole body, at most the body limit; empty when there is none. */
  readonly body: Uint8Array;
  /** Aborted when the client goes away before the reply is complete. Created on first use. */
  readonly signal: AbortSignal;
}

/** A byte range of an open file. The back-end reads it by position and calls `release` exactly once, however the exchange ends. */
export interface FileBody {
  readonly kind: 'file';
  readonly fd: number;
  /** Reads from a disk that may not answer. After an error `target` must not be reused: the read may still complete into it. */
  readonly readPart: ReadPart;
  readonly offset: number;
  readonly length: number;
  /** True when the bytes were read moments ago, so that reading them again will not wait for a disk. */
  readonly hot: boolean;
  release(): void;
}

/**
 * Bytes that are read when they are sent; up to LENT_BYTES of them into a buffer that the next look-up reuses. Undefined when they are gone.
 */
export interface LentBody {
  readonly kind: 'lent';
  read(): Uint8Array | undefined;
}

export interface BytesBody {
  readonly kind: 'bytes';
  readonly bytes: Uint8Array | string;
  /** Compressed forms of the same bytes, by content coding. Whoever keeps the answer gives it a place for them; otherwise none are kept. */
  readonly encoded?: Encoded;
}

/** A Map is one; something that counts its bytes too. */
export interface Encoded {
  get(coding: string): Uint8Array | undefined;
  set(coding: string, bytes: Uint8Array): unknown;
}

/**
 * Made while it is sent, in chunks and without a length. Nothing is held before `open` is called, which is done at most once, and never for
 * HEAD. The next piece is asked for when the socket has taken the one before.
 *
 * `return` of the iterator is called exactly once, unless it has come to its end or thrown: when the client leaves or takes too little, when
 * a piece takes longer than an answer may, or when the server stops. The signal is aborted just before, and a maker that waits has to settle
 * then. What is thrown before the first piece is answered like any error; later it ends the connection.
 */
export interface StreamBody {
  readonly kind: 'stream';
  open(signal: AbortSignal): AsyncIterable<Uint8Array | string>;
  /**
   * It goes on until the client leaves, as server-sent events do: it is ended at once when the server stops, and may wait for its next piece
   * for as long as it likes. Its head goes out with its first piece, which it therefore has to make at once.
   */
  readonly isLive: boolean;
  /** What is sent last to a client who is no longer let in. */
  readonly farewell?: string;
}

export type Body = { readonly kind: 'none' } | BytesBody | LentBody | FileBody | StreamBody;

export interface Reply {
  readonly status: number;
  /** The same request may get another answer although nothing has changed, so this one is not kept. */
  readonly isPassing?: true;
  /** Without Content-Length, Date, Connection, Transfer-Encoding and those of `security`, which the back-end sets. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** Those for data unless told. */
  readonly security?: SecurityHeaders;
  readonly body: Body;
}

/** Never throws and never rejects: every failure is already a Reply. Synchronous unless something has to be awaited. */
export type Dispatch = (request: Request) => Reply | Promise<Reply>;

/** The allowed size of the request body, or the reply that refuses it before any of it is read. */
export type Admission = Admitted | { readonly refusal: Reply };

export interface Admitted {
  readonly bodyBytes: number;
  /** The caller is not logged in: all such bodies together get a part of the budget, so that strangers never use up all of it. */
  readonly isGuest?: boolean;
  /** A file: such bodies have a budget of their own, so that they leave the other one to everybody else. */
  readonly isUpload?: boolean;
}

/** Called before a body is read. Never throws and never rejects. */
export type Admit = (request: Request) => Admission | Promise<Admission>;

/** What went wrong before or beside dispatch as a reply, in the shape that clients of this path expect. Never throws. */
export type Refuse = (thrown: unknown, path: string) => Reply;

/** Limits over all connections together. */
export interface Bounds {
  /** Connections open at the same time. */
  readonly connections: number;
  /** Bytes of request bodies that are held before their requests are handled. */
  readonly bodiesBytes: number;
  /** The same for files that are uploaded. */
  readonly uploadsBytes: number;
  /** Bytes of replies held in memory for slow readers; bytes shared by several readers count once. */
  readonly answersBytes: number;
  /** A reader who takes less than 4 kB/s for this long is disconnected. */
  readonly slowMs: number;
}

export interface ListenOptions {
  readonly host: string;
  /** 0 takes any free port. */
  readonly port: number;
  /** The largest request body allowed at all; `admit` may allow less. */
  readonly bodyBytes: number;
  readonly bounds: Bounds;
  readonly admit: Admit;
  /**
   * A dispatch that has not answered after this long is answered with Timeout; its late reply is released and dropped. It holds for each piece
   * of a stream too, but not for its whole life.
   */
  readonly handlerMs: number;
  readonly dispatch: Dispatch;
  readonly refuse: Refuse;
  /** Called with what only the back-end sees: an exception outside dispatch, or the path of a request that timed out. */
  readonly onFault: (thrown: unknown, path?: string) => void;
  /** Called when the limit on connections takes effect. */
  readonly onCrowded: (sentence: string) => void;
}

/** What a back-end is doing and has done. */
export interface NetworkLoad {
  /** On the network engine, all sockets of the process but those that were open before; undefined where the system does not tell. */
  readonly connections: number | undefined;
  readonly liveStreams: number;
  readonly sentBytes: number;
}

export interface Listening {
  readonly port: number;
  load(): NetworkLoad;
  /** Stops accepting, ends live streams, lets other replies finish for at most `graceMs`, then closes every connection. */
  stop(graceMs: number): Promise<void>;
}

export interface HttpAdapter {
  readonly name: 'uws' | 'node';
  listen(options: ListenOptions): Promise<Listening>;
}

const UNSAFE = /[\r\n\0]/;
const EACH_UNSAFE = new RegExp(UNSAFE, 'g');

/** Stops header injection: neither back-end may pass CR, LF or NUL through. */
export const safeHeaderValue = (value: string): string =>
  UNSAFE.test(value) ? value.replace(EACH_UNSAFE, ' ') : value;

/** A dual-stack socket reports IPv4 peers as mapped IPv6 addresses, short or in full; both become dotted IPv4. */
export const plainAddress = (address: string): string => {
  if (!address.startsWith(':') && !address.startsWith('0')) return address; // as most are
  const short = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address);
  if (short?.[1] !== undefined) return short[1];
  const long = /^0000:0000:0000:0000:0000:ffff:([0-9a-f]{2})([0-9a-f]{2}):([0-9a-f]{2})([0-9a-f]{2})$/i.exec(address);
  return long === null
    ? address
    : long
        .slice(1)
        .map((pair) => Number.parseInt(pair, 16))
        .join('.');
};
