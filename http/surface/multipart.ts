// One file out of a form (multipart/form-data, RFC 7578). The whole body is in memory already, and bounded. What a client says about the
// file, its name and its type, is not even read.
import { AppError } from '../../core/model/errors.js';
import type { Request } from '../server/adapter.js';

const PARTS_MAX = 100;
const PART_HEAD_BYTES_MAX = 8 * 1024;
const HEAD_END = '\r\n\r\n';
const LINE_END = '\r\n';

const bad = (sentence: string): AppError => new AppError('BadRequest', sentence);
const damaged = (): AppError => bad('The form is damaged: it ends before its closing boundary.');

const QUOTED_OR_TOKEN = /;\s*boundary=(?:"([^"\r\n]{1,70})"|([^\s;"]{1,70}))(?:\s*;|\s*$)/i;

/** What stands between the parts. */
const boundaryOf = (contentType: string): string => {
  const [type = ''] = contentType.split(';', 1);
  if (type.trim().toLowerCase() !== 'multipart/form-data')
    throw new AppError('UnsupportedMediaType', 'The request body must be a form (multipart/form-data) with a file.');
  const found = QUOTED_OR_TOKEN.exec(contentType);
  const boundary = found?.[1] ?? found?.[2];
  if (boundary === undefined) throw bad('The Content-Type of a form must name its boundary, of 1 to 70 characters.');
  return boundary;
};

const DISPOSITION = /^content-disposition:[ \t]*form-data[ \t]*;(.*)$/im;
/** A quoted string with backslash escapes, or a word. Not the end of another name, such as `filename`. */
const NAME = /(?:^|[;\s])name=(?:"((?:[^"\\]|\\.)*)"|([^\s;"]+))/i;

/** The name of a field; undefined where none is given. */
const nameOf = (head: string): string | undefined => {
  // A file name may contain anything, even what looks like a field name.
  const fields = DISPOSITION.exec(head)?.[1]?.replace(/filename\*?=(?:"(?:[^"\\]|\\.)*"|[^;]*)/gi, '');
  const found = fields === undefined ? null : NAME.exec(fields);
  return found?.[1] ?? found?.[2];
};

interface Part {
  readonly name: string | undefined;
  readonly bytes: Buffer;
}

/** Searches forward only, so that it takes no longer than reading the body once. */
const partsOf = (body: Buffer, boundary: string): readonly Part[] => {
  const delimiter = Buffer.from(`--${boundary}`, 'latin1');
  const parts: Part[] = [];
  let at = body.indexOf(delimiter);
  if (at < 0 || (at > 0 && body.toString('latin1', at - 2, at) !== LINE_END))
    throw bad('The form does not begin with its boundary.');
  for (;;) {
    at += delimiter.length;
    if (body.toString('latin1', at, at + 2) === '--') return parts;
    const start = body.indexOf(LINE_END, at);
    // Only spaces may follow a boundary.
    if (start < 0 || body.toString('latin1', at, start).trim() !== '') throw damaged();
    const headEnd = body.indexOf(HEAD_END, start);
    if (headEnd < 0) throw damaged();
    if (headEnd - start > PART_HEAD_BYTES_MAX)
      throw bad(
        `The header of a part of the form has more than ${PART_HEAD_BYTES_MAX} bytes; use a shorter file name.`,
      );
    const next = body.indexOf(Buffer.concat([Buffer.from(LINE_END), delimiter]), headEnd + LINE_END.length);
    if (next < 0) throw damaged();
    parts.push({
      name: nameOf(body.toString('latin1', start, headEnd)),
      bytes: body.subarray(Math.min(headEnd + HEAD_END.length, next), next),
    });
    if (parts.length > PARTS_MAX) throw bad(`The form has more than ${PARTS_MAX} parts.`);
    at = next + LINE_END.length;
  }
};

const partsIn = (request: Pick<Request, 'body' | 'header'>): readonly Part[] => {
  const boundary = boundaryOf(request.header('content-type'));
  const { buffer, byteOffset, byteLength } = request.body;
  return partsOf(Buffer.from(buffer, byteOffset, byteLength), boundary);
};

const TEXT_BYTES_MAX = 1000;

/** A short text beside the file; '' where there is none. */
export const formText = (request: Pick<Request, 'body' | 'header'>, field: string): string => {
  const found = partsIn(request).find(({ name }) => name === field);
  return found === undefined ? '' : found.bytes.toString('utf8', 0, TEXT_BYTES_MAX).trim();
};

/** The only file of a form, by any of these field names. Other fields are ignored. */
export const formFile = (request: Pick<Request, 'body' | 'header'>, names: readonly string[]): Uint8Array => {
  const [file, second] = partsIn(request).filter(({ name }) => name !== undefined && names.includes(name));
  if (file === undefined) throw bad(`The form has no field ${names[0] ?? ''} with a file.`);
  if (second !== undefined) throw bad('The form has more than one file.');
  return file.bytes;
};
