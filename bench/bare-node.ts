// The limit of pages over node:http: a bare server that reads the same number of bytes from an open file for each request and ends with them.
// A separate process that prints its port. Its argument is a folder for the file; the path of a request is the number of bytes.
import { openSync, readSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';

const MOST = 4 * 1024 * 1024;
const OFFSET = 4096;

const file = join(process.argv[2] ?? '.', 'bare-node.bytes');
writeFileSync(file, Buffer.alloc(OFFSET + MOST, 7));
const fd = openSync(file, 'r');

const server = createServer((request, response) => {
  const size = Math.min(MOST, Number(request.url?.slice(1)));
  const bytes = Buffer.allocUnsafe(size);
  readSync(fd, bytes, 0, size, OFFSET);
  response.end(bytes);
});
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  if (typeof address === 'object' && address !== null) console.log(`port ${address.port}`);
});
