// Forms with files, as clients send them: written by the platform where it can, by hand where they have to be wrong.
import { readFileSync } from 'node:fs';
import { fixture } from '../fixtures/index.js';

export interface Form {
  readonly body: Buffer;
  readonly headers: Readonly<Record<string, string>>;
}

export const isForm = (value: unknown): value is Form =>
  typeof value === 'object' && value !== null && 'body' in value && 'headers' in value;

export const BOUNDARY = 'a-boundary-of-this-test';

export const image = (name: string): Buffer => readFileSync(fixture(`images/${name}`));

/** By the platform's own writer, with a boundary of its own. */
export const formOf = async (
  fields: Readonly<Record<string, string | Buffer>>,
  fileName = 'cover.jpg',
): Promise<Form> => {
  const data = new FormData();
  for (const [name, value] of Object.entries(fields))
    if (typeof value === 'string') data.append(name, value);
    else data.append(name, new Blob([value], { type: 'image/jpeg' }), fileName);
  const response = new Response(data);
  return {
    body: Buffer.from(await response.arrayBuffer()),
    headers: { 'content-type': response.headers.get('content-type') ?? '' },
  };
};

/** Exactly these bytes as the body. */
export const rawForm = (body: string | Buffer, type = `multipart/form-data; boundary=${BOUNDARY}`): Form => ({
  body: Buffer.from(body),
  headers: { 'content-type': type },
});

/** One part with these header lines. */
export const partForm = (head: string, content: Buffer | string): Form =>
  rawForm(
    Buffer.concat([
      Buffer.from(`--${BOUNDARY}\r\n${head}\r\n\r\n`),
      Buffer.from(content),
      Buffer.from(`\r\n--${BOUNDARY}--\r\n`),
    ]),
  );
