// The limit of every answer: bare uWebSockets.js serving a buffer in memory. A separate process that prints its port. Its arguments are
// sizes, each the path of one buffer, or a size and a number of buffers (150000x1000), whose paths are /0, /1 and so on. `@FILE` is an answer
// with headers of its own, as JSON; its path is /answer.
import { readFileSync } from 'node:fs';
import { loadUwsBinary, type UwsResponse } from '../http/server/uws-binary.js';

const uws = loadUwsBinary();
if (typeof uws === 'string') throw new Error(uws);

/** What a file holds. */
interface Answer {
  readonly headers: readonly (readonly [string, string])[];
  readonly body: string;
}

const args = process.argv.slice(2);
const isFile = (arg: string): boolean => arg.startsWith('@');
const buffers = new Map(
  args
    .filter((arg) => !isFile(arg))
    .flatMap((text) => {
      const [size = '', count] = text.split('x');
      const paths = count === undefined ? [size] : Array.from({ length: Number(count) }, (_, n) => String(n));
      return paths.map((path): [string, Buffer] => [`/${path}`, Buffer.alloc(Number(size), 7)]);
    }),
);
/** Smaller ones fit the socket's buffer. `end` copies what the socket does not take at once; `tryEnd` waits until it can be sent. */
const LARGE_BYTES = 64 * 1024;

const send = (response: UwsResponse, body: Buffer): void => {
  if (body.length < LARGE_BYTES) {
    response.end(body);
    return;
  }
  const [, isDone] = response.tryEnd(body, body.length);
  if (isDone) return;
  response.onAborted(() => undefined);
  response.onWritable((offset) => response.tryEnd(body.subarray(offset), body.length)[0]);
};

const none = Buffer.from('none');
const app = uws.App();
for (const file of args.filter(isFile)) {
  const { headers, body } = JSON.parse(readFileSync(file.slice(1), 'utf8')) as Answer;
  app.any('/answer', (response) => {
    for (const [name, value] of headers) response.writeHeader(name, value);
    response.end(body);
  });
}
app
  .any('/*', (response, request) => {
    send(response, buffers.get(request.getUrl()) ?? none);
  })
  .listen('127.0.0.1', 0, (socket) => {
    if (socket !== false) console.log(`port ${uws.us_socket_local_port(socket)}`);
  });
