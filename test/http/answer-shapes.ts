// What each answer holds, read from fixtures/spec/answers.txt, and where a value does not hold it.
import { readFileSync } from 'node:fs';
import { fixture } from '../../fixtures/index.js';

export interface Field {
  readonly name: string;
  readonly isOptional: boolean;
  readonly isNullable: boolean;
  readonly type: string;
}

export interface Expected {
  readonly status: number;
  /** Null: no body. */
  readonly type: string | null;
}

const lines = readFileSync(fixture('spec/answers.txt'), 'utf8')
  .split('\n')
  .map((line) => line.split(' '));

export const fieldOf = (text: string): Field => {
  const [, name = '', mark, type = ''] = /^(\w+)([?~]?):(\S+)$/.exec(text) ?? [];
  return { name, isOptional: mark !== '', isNullable: mark === '?', type };
};

const records = new Map(
  lines.flatMap(([kind, name = '', ...fields]) => (kind === 'type' ? [[name, fields.map(fieldOf)] as const] : [])),
);
export const WORDS = new Map(
  lines.flatMap(([kind, name = '', list = '']) => (kind === 'word' ? [[name, new Set(list.split('|'))] as const] : [])),
);

/** `GET /books/{}` to what it answers. */
export const ANSWERS: ReadonlyMap<string, Expected> = new Map(
  lines.flatMap(([kind, method, path = '', status, type]) =>
    kind === 'answer'
      ? [[`${method} ${path.replaceAll(/\{\w+\}/g, '{}')}`, { status: Number(status), type: type ?? null }] as const]
      : [],
  ),
);

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const SIMPLE: Readonly<Record<string, (value: unknown) => boolean>> = {
  unknown: () => true,
  object: isObject,
  string: (value) => typeof value === 'string',
  boolean: (value) => typeof value === 'boolean',
  number: (value) => typeof value === 'number',
  Int: Number.isSafeInteger,
  Uuid: (value) => typeof value === 'string' && UUID.test(value),
  DateTime: (value) => typeof value === 'string' && INSTANT.test(value),
};

const faultsOfField = ({ name, type, isOptional, isNullable }: Field, value: unknown, path: string): string[] => {
  if (value === undefined) return isOptional ? [] : [`${path}.${name} is missing`];
  if (value === null && isNullable) return [];
  return faultsOf(type, value, `${path}.${name}`);
};

/** Where a value does not hold what its type says; more fields than it names are no fault. */
export const faultsOf = (type: string, value: unknown, path = ''): string[] => {
  const wrong = [`${path} is no ${type}: ${JSON.stringify(value)?.slice(0, 80)}`];
  if (type.endsWith('[]')) {
    if (!Array.isArray(value)) return wrong;
    return value.flatMap((one, at) => faultsOf(type.slice(0, -2), one, `${path}[${at}]`));
  }
  const ofMap = /^map<(\w+)>$/.exec(type)?.[1];
  if (ofMap !== undefined) {
    if (!isObject(value)) return wrong;
    return Object.entries(value).flatMap(([name, one]) => faultsOf(ofMap, one, `${path}.${name}`));
  }
  const [simple, list, fields] = [SIMPLE[type], WORDS.get(type), records.get(type)];
  if (simple !== undefined) return simple(value) ? [] : wrong;
  if (list !== undefined) return typeof value === 'string' && list.has(value) ? [] : wrong;
  if (fields === undefined) return [`${type} is not described`];
  if (!isObject(value)) return wrong;
  return fields.flatMap((field) => faultsOfField(field, value[field.name], path));
};

/** Whether an answer that is a list, or holds one, has anything in it. */
export const isEmptyList = (value: unknown): boolean => {
  const list = isObject(value) ? (value.data ?? value.items ?? value.progress ?? value.groups) : value;
  return Array.isArray(list) && list.length === 0;
};
