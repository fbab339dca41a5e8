// Validates input against schemas: a value of the right type, or one BadRequest that lists every fault by its path.
import { isUtf8 } from 'node:buffer';
import type { TSchema } from 'typebox';
import { Compile } from 'typebox/compile';
import { AppError } from '../../core/model/errors.js';
import { refuseHugeJson } from './json-bounds.js';
import { expectedAt } from './schemas.js';

export type Check = (value: unknown) => unknown;

interface Found {
  readonly keyword: string;
  readonly instancePath: string;
  readonly message: string;
  readonly params: object;
}

interface InputFault {
  readonly path: string;
  readonly message: string;
}

const FAULTS_MAX = 20;

/** `/a/0/b` as `a[0].b`. */
const readablePath = (pointer: string): string =>
  pointer
    .split('/')
    .slice(1)
    .map((part, index) => (/^\d+$/.test(part) ? `[${part}]` : `${index === 0 ? '' : '.'}${part}`))
    .join('');

const faultsOf = (schema: TSchema, found: readonly Found[]): InputFault[] => {
  const faults = new Map<string, string>();
  for (const one of found) {
    if (
      one.keyword === 'required' &&
      'requiredProperties' in one.params &&
      Array.isArray(one.params.requiredProperties)
    ) {
      for (const name of one.params.requiredProperties)
        faults.set(readablePath(`${one.instancePath}/${String(name)}`), 'is required');
      continue;
    }
    const path = readablePath(one.instancePath);
    const expected = expectedAt(schema, one.instancePath);
    if (!faults.has(path)) faults.set(path, expected === undefined ? one.message : `must be ${expected}`);
  }
  return [...faults].slice(0, FAULTS_MAX).map(([path, message]) => ({ path, message }));
};

/** Filling in defaults walks the whole schema, at each request; most schemas have none. */
const hasDefaults = (schema: TSchema): boolean => JSON.stringify(schema).includes('"default":');

/** Compiles a schema once; the returned check fills in defaults and throws BadRequest with the list of faults. */
export const checkOf = (schema: TSchema, where: string): Check => {
  const validator = Compile(schema);
  const fill = hasDefaults(schema) ? (value: unknown): unknown => validator.Default(value) : undefined;
  return (value) => {
    const filled = fill === undefined ? value : fill(value);
    if (validator.Check(filled)) return filled;
    const faults = faultsOf(schema, validator.Errors(filled));
    const sentence = faults.map(({ path, message }) => `${path === '' ? where : path} ${message}`).join('; ');
    throw new AppError('BadRequest', `Invalid ${where}: ${sentence}.`, faults);
  };
};

const parsed = (bytes: Uint8Array): unknown => {
  try {
    return JSON.parse(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8'));
  } catch (thrown) {
    throw new AppError('BadRequest', 'The request body is not valid JSON.', null, thrown);
  }
};

/** A JSON body. Anything that is not JSON is refused with the reason. */
export const parseJson = (bytes: Uint8Array, contentType: string): unknown => {
  const type = contentType.split(';')[0]?.trim().toLowerCase() ?? '';
  if (type !== '' && type !== 'application/json' && !type.endsWith('+json')) throw new AppError('UnsupportedMediaType');
  if (bytes.length === 0) return undefined;
  if (!isUtf8(bytes)) throw new AppError('BadRequest', 'The request body is not valid UTF-8.');
  refuseHugeJson(bytes);
  return parsed(bytes);
};
