// The limit of every answer: bare uWebSockets.js serving a buffer in memory. A separate process that prints its port. Its arguments are
// sizes, each the path of one buffer, or a size and a number of buffers (150000x1000), whose paths are /0, /1 and so on.
import { loadUwsBinary } from '../http/uws-binary.js';

const uws = loadUwsBinary();
if (typeof uws === 'string') throw new Error(uws);
const buffers = new Map(
  process.argv.slice(2).flatMap((text) => {
    const [size = '', count] = text.split('x');
    const paths = count === undefined ? [size] : Array.from({ length: Number(count) }, (_, n) => String(n));
    return paths.map((path): [string, Buffer] => [`/${path}`, Buffer.alloc(Number(size), 7)]);
  }),
);
uws
  .App()
  .any('/*', (response, request) => {
    response.end(buffers.get(request.getUrl()) ?? 'none');
  })
  .listen('127.0.0.1', 0, (socket) => {
    if (socket !== false) console.log(`port ${uws.us_socket_local_port(socket)}`);
  });
