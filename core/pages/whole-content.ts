// All bytes of a page, for whoever needs them here and does not send them.
import { AppError } from '../model/errors.js';
import type { Content } from './content.js';

type InFile = Extract<Content, { readonly kind: 'file' }>;

const readInto = ({ readPart }: InFile, target: Uint8Array, position: number): Promise<number> =>
  new Promise((resolve, reject) => {
    readPart(target, target.length, position, (error, bytes) => (error === null ? resolve(bytes) : reject(error)));
  });

export const bytesOfContent = async (content: Content): Promise<Uint8Array> => {
  if (content.kind === 'bytes') return content.bytes;
  if (content.kind === 'current') throw new AppError('Internal', 'Content was asked for by somebody who has it.');
  if (content.kind === 'lent') {
    const bytes = content.read();
    if (bytes === undefined) throw new AppError('Overloaded'); // it has left the cache meanwhile; asked again, it is made again
    return Buffer.from(bytes); // it is only lent
  }
  try {
    const bytes = Buffer.alloc(content.length);
    for (let at = 0; at < bytes.length; ) {
      const read = await readInto(content, bytes.subarray(at), content.offset + at);
      if (read === 0) throw new AppError('FileChanged');
      at += read;
    }
    return bytes;
  } finally {
    content.release();
  }
};
