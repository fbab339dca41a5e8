// What node:http's parser refuses is answered here, as bytes: there is no request yet.
import { FOR_DATA } from './security-headers.js';

const MALFORMED = ['400 Bad Request', 'BadRequest', 'The request is not valid HTTP.'] as const;
const BY_CODE: Readonly<Record<string, readonly [status: string, word: string, message: string]>> = {
  HPE_HEADER_OVERFLOW: [
    '431 Request Header Fields Too Large',
    'BadRequest',
    'The address or the headers of the request are too long. Together they may have 16 kB.',
  ],
  ERR_HTTP_REQUEST_TIMEOUT: ['408 Request Timeout', 'RequestTimeout', 'The request took too long to arrive.'],
};

/** The address is not known, so it is in the shape of the API, whatever the surface. */
export const parserReply = (code = ''): string => {
  const [status, word, message] = BY_CODE[code] ?? MALFORMED;
  const body = JSON.stringify({ error: word, message, details: null });
  const head = [
    `HTTP/1.1 ${status}`,
    'Content-Type: application/json; charset=utf-8',
    `${FOR_DATA.first}: ${FOR_DATA.others}`,
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Connection: close',
  ];
  return `${head.join('\r\n')}\r\n\r\n${body}`;
};
