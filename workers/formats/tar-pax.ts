// The records of an extended header of a tar archive (POSIX pax): `LENGTH KEY=VALUE` and a line feed each, of which some are needed.

export interface PaxRecords {
  readonly path?: Buffer;
  readonly linkpath?: Buffer;
  readonly size?: Buffer;
  /** True when the content is a map of holes and what lies between them. */
  readonly isSparse: boolean;
}

const SPARSE = 'GNU.sparse.';
/** The real name of a sparse file; its path names a placeholder. */
const SPARSE_NAME = `${SPARSE}name`;
/** No key that counts is longer. */
const KEY_MAX = 64;
const [SPACE, EQUALS] = [0x20, 0x3d];
const LENGTH_DIGITS_MAX = 10;

/** As far as the records can be told apart. */
export const readPaxRecords = (body: Buffer): PaxRecords => {
  const found = new Map<string, Buffer>();
  let isSparse = false;
  for (let at = 0; at < body.length; ) {
    const space = body.subarray(0, at + LENGTH_DIGITS_MAX + 1).indexOf(SPACE, at);
    const digits = space < 0 ? '' : body.toString('latin1', at, space);
    const length = /^\d+$/.test(digits) ? Number(digits) : 0;
    if (length <= digits.length + 1 || at + length > body.length) break;
    const record = body.subarray(space + 1, at + length - 1);
    const equals = record.subarray(0, KEY_MAX).indexOf(EQUALS);
    const key = record.toString('latin1', 0, Math.max(0, equals));
    if (key.startsWith(SPARSE)) isSparse = true;
    if (key === 'path' || key === 'linkpath' || key === 'size' || key === SPARSE_NAME)
      found.set(key, record.subarray(equals + 1));
    at += length;
  }
  const [path, linkpath, size] = [
    found.get(SPARSE_NAME) ?? found.get('path'),
    found.get('linkpath'),
    found.get('size'),
  ];
  return { ...(path && { path }), ...(linkpath && { linkpath }), ...(size && { size }), isSparse };
};

/** NaN for what is no size. */
export const sizeInPax = (value: Buffer): number => {
  const text = value.toString('latin1');
  return /^\d{1,16}$/.test(text) ? Number(text) : Number.NaN;
};
