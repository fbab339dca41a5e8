// One request to the program, as it arrives there; the answer is checked against its description, and searched for secrets.
import { type IncomingMessage, request } from 'node:http';
import { checkServed } from '../described.js';
import { headerText, programSecrets } from '../secret-watch.js';
import type { Program } from './program.js';

export interface Answer {
  readonly status: number;
  header(name: string): string | undefined;
  // biome-ignore lint/suspicious/noExplicitAny: a test names the fields it expects, and a missing one fails it
  readonly json: any;
}

const headerOf =
  ({ headers }: IncomingMessage): Answer['header'] =>
  (name) =>
    [headers[name] ?? []].flat().join('\n') || undefined;

/** With any header, also those that fetch keeps to itself. */
export const ask = (
  program: Program,
  method: string,
  path: string,
  headers: Readonly<Record<string, string | string[]>> = {},
  body?: unknown,
): Promise<Answer> =>
  new Promise((resolve, reject) => {
    const single = Object.entries(headers).map(([name, value]): [string, string] => [name, [value].flat()[0] ?? '']);
    programSecrets.heard({ path, headers: Object.fromEntries(single), body });
    const sent = request(
      `${program.address}/api/v1${path}`,
      { method, headers: { ...headers, ...(body === undefined ? {} : { 'content-type': 'application/json' }) } },
      (reply) => {
        const chunks: Buffer[] = [];
        reply.on('data', (chunk: Buffer) => chunks.push(chunk));
        reply.on('end', () => {
          const [bytes, status, type = ''] = [
            Buffer.concat(chunks),
            reply.statusCode ?? 0,
            reply.headers['content-type'],
          ];
          const [isJson, text, header] = [type.includes('json'), bytes.toString(), headerOf(reply)];
          if (isJson) {
            const headers = headerText(Object.entries(reply.headers));
            programSecrets.said({ status, cookies: header('set-cookie') ?? '', headers, text }, `${method} ${path}`);
            checkServed(method, `/api/v1${path}`.split('?')[0] ?? '', { status, type, bytes });
          }
          resolve({ status, header, json: isJson ? JSON.parse(text) : undefined });
        });
      },
    );
    sent.on('error', reject);
    sent.end(body === undefined ? undefined : JSON.stringify(body));
  });
