// The limit of every answer: bare uWebSockets.js serving a buffer in memory. A separate process that prints its port. Sizes are arguments.
import { loadUwsBinary } from '../http/uws-binary.js';

const uws = loadUwsBinary();
if (typeof uws === 'string') throw new Error(uws);
const buffers = new Map(process.argv.slice(2).map((size) => [`/${size}`, Buffer.alloc(Number(size), 7)]));
uws
  .App()
  .any('/*', (response, request) => {
    response.end(buffers.get(request.getUrl()) ?? 'none');
  })
  .listen('127.0.0.1', 0, (socket) => {
    if (socket !== false) console.log(`port ${uws.us_socket_local_port(socket)}`);
  });
