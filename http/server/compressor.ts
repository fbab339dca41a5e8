// Compresses text answers after dispatch, on other threads, a few at a time; when these are busy, answers go out as they are.
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { Body, Dispatch, Reply, Request } from './adapter.js';
import { type Coding, codedHeaders, codingOf, isCompressible, plainHeaders } from './compression.js';

/** At the same time. More would keep processors from answering; what comes meanwhile is sent at once, and larger. */
const RUNNING_MAX = 4;
/** The library hands over its output in pieces of this size, each a turn of the event loop. */
const CHUNK_BYTES = 128 * 1024;
const GZIP_LEVEL = 3;
const BROTLI_QUALITY = 4;

type Done = (error: Error | null, bytes: Buffer) => void;

const CODERS: Readonly<Record<Coding, (plain: Buffer, done: Done) => void>> = {
  gzip: (plain, done) => gzip(plain, { level: GZIP_LEVEL, chunkSize: CHUNK_BYTES }, done),
  br: (plain, done) => {
    const params = {
      [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY,
      [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT,
      [constants.BROTLI_PARAM_SIZE_HINT]: plain.byteLength,
    };
    brotliCompress(plain, { params, chunkSize: CHUNK_BYTES }, done);
  },
};

/** Whose length is not known. For HEAD alone, so it is never opened. */
const UNMADE: Body = {
  kind: 'stream',
  isLive: false,
  open: () => {
    throw new Error('an answer to HEAD has no body');
  },
};

const coded = (reply: Reply, coding: Coding, bytes: Uint8Array): Reply => ({
  ...reply,
  headers: codedHeaders(reply.headers, coding),
  body: { kind: 'bytes', bytes },
});

class Compressor {
  #running = 0;

  /** The reply in the form that its client likes best. Synchronous unless something has to be compressed. */
  formOf(reply: Reply, request: Request): Reply | Promise<Reply> {
    if (reply.body.kind !== 'bytes' || !isCompressible(reply)) return reply;
    const coding = codingOf(request.header('accept-encoding'));
    const plain = { ...reply, headers: plainHeaders(reply.headers) };
    if (coding === null) return plain;
    if (request.method === 'HEAD') return { ...reply, headers: codedHeaders(reply.headers, coding), body: UNMADE };
    const { bytes, encoded } = reply.body;
    const kept = encoded?.get(coding);
    if (kept !== undefined) return coded(reply, coding, kept);
    if (this.#running >= RUNNING_MAX) return plain;
    return this.#compress(bytes, coding).then(
      (made) => {
        encoded?.set(coding, made);
        return coded(reply, coding, made);
      },
      () => plain, // no memory: it is still a whole answer
    );
  }

  async #compress(bytes: Uint8Array | string, coding: Coding): Promise<Uint8Array> {
    this.#running += 1;
    try {
      return await new Promise((resolve, reject) => {
        CODERS[coding](Buffer.from(bytes), (error, made) => (error === null ? resolve(made) : reject(error)));
      });
    } finally {
      this.#running -= 1;
    }
  }
}

/** The same dispatch, whose text answers are compressed for clients that accept it. */
export const compressing = (dispatch: Dispatch): Dispatch => {
  const compressor = new Compressor();
  return (request) => {
    const reply = dispatch(request);
    return reply instanceof Promise
      ? reply.then((found) => compressor.formOf(found, request))
      : compressor.formOf(reply, request);
  };
};
