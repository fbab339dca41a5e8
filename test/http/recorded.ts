// Answers recorded from another server that speaks this API, held against the schemas of our rows: every field and its type.
import { readFileSync } from 'node:fs';
import { fixture } from '../../fixtures/index.js';
import { EVENTS } from '../../http/api/schemas/events.js';
import { API, ROOT } from '../../http/api/surface.js';
import { WIRE } from '../../http/surface/errors.js';
import { failuresOf } from '../../http/surface/failures.js';
import { isMedia } from '../../http/surface/replies.js';
import type { Route } from '../../http/surface/route.js';
import { buildRouter, type CompiledRoute, type Router } from '../../http/surface/router.js';
import type { Surface } from '../../http/surface/surface.js';

export interface Recorded {
  /** `GET /api/v1/books/{id}?page=1`: ids are names in braces. */
  readonly request: string;
  readonly status: number;
  /** The Content-Type, without its parameters. */
  readonly type: string;
  readonly answer: unknown;
}

export const recordedIn = (file: string): readonly Recorded[] =>
  readFileSync(fixture(`spec/${file}`), 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));

export const RECORDED = recordedIn('recorded-answers.jsonl');

/** The parts of a JSON schema that are compared. */
interface Plain {
  readonly component?: string;
  readonly type?: string;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly Plain[];
  readonly items?: Plain;
  readonly properties?: Readonly<Record<string, Plain>>;
  readonly required?: readonly string[];
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const typeOf = (value: unknown): string => {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  return Number.isInteger(value) ? 'integer' : typeof value;
};

const fits = (type: string, value: unknown): boolean =>
  typeOf(value) === type || (type === 'number' && typeOf(value) === 'integer');

/** Null where the other server leaves a field out is no difference: the contract has both. */
const mayBeNull = ({ type, anyOf = [], enum: words = [] }: Plain): boolean =>
  type === 'null' || anyOf.some(mayBeNull) || (type === undefined && anyOf.length + words.length === 0);

const inFields = (
  schema: Plain,
  value: Readonly<Record<string, unknown>>,
  at: string,
  isStrict: boolean,
): readonly string[] => {
  const properties = schema.properties ?? {};
  const names = [...new Set([...Object.keys(properties), ...Object.keys(value)])];
  return names.flatMap((name) => {
    const [own, theirs] = [properties[name], value[name]];
    if (own === undefined) return [`${at}.${name}: not ours`];
    if (theirs !== undefined) return differences(own, theirs, `${at}.${name}`, isStrict);
    const isAlways = schema.required?.includes(name) === true;
    return isAlways && (isStrict || !mayBeNull(own)) ? [`${at}.${name}: ours alone`] : [];
  });
};

/** In long lists the last entry says how many were left out. */
const isEntry = (value: unknown): boolean => typeof value !== 'string' || !/^… \d+ more$/.test(value);

/**
 * Where a recorded value differs from what a schema describes, by the name of the record it is in; strictly, null is another thing than
 * no field.
 */
export const differences = (schema: Plain, value: unknown, at: string, isStrict = false): readonly string[] => {
  const where = schema.component ?? at;
  if (schema.anyOf !== undefined) {
    if (value === null && mayBeNull(schema)) return [];
    const each = schema.anyOf
      .filter(({ type }) => type !== 'null')
      .map((one) => differences(one, value, where, isStrict));
    return each.reduce((best, one) => (one.length < best.length ? one : best));
  }
  if (schema.enum !== undefined) return schema.enum.includes(value) ? [] : [`${where}: is ${JSON.stringify(value)}`];
  if (schema.type !== undefined && !fits(schema.type, value))
    return [`${where}: is ${typeOf(value)}, not ${schema.type}`];
  if (Array.isArray(value)) {
    const { items } = schema;
    return items === undefined
      ? []
      : value.filter(isEntry).flatMap((one) => differences(items, one, `${where}[]`, isStrict));
  }
  return isObject(value) && schema.properties !== undefined ? inFields(schema, value, where, isStrict) : [];
};

const native = buildRouter([API, ROOT]);
const SOME_ID = '01890000-0000-7000-8000-000000000000';

const compiledOf = ({ request }: Recorded, router: Router): CompiledRoute | undefined => {
  const [method = '', ...rest] = request.split(' ');
  const path =
    rest
      .join(' ')
      .split('?')[0]
      ?.replaceAll(/\{[^}]*\}/g, SOME_ID) ?? '';
  try {
    return router.find(method, path).compiled;
  } catch {
    return undefined;
  }
};

/** The row that answers a recorded request; undefined when we have none. */
export const rowOf = (recorded: Recorded, router: Router = native): Route | undefined =>
  compiledOf(recorded, router)?.route;

/** What a surface says in a refusal, against what was recorded. */
const refusalDifferences = (
  { name, errorView }: Surface,
  words: readonly string[],
  { status, type, answer }: Recorded,
): readonly string[] => {
  const said = isObject(answer) ? answer.error : undefined;
  const word = words.find((one) => one === said) ?? words[0] ?? '';
  const at = { path: '/', base: () => 'http://server', now: () => 0, isOpened: () => false };
  const ours = errorView({ status, word, message: 'A sentence.', details: null }, at);
  const label = `${name} ${status}`;
  if (!isOfType(ours.type.split(';')[0] ?? '', type)) return [`${label}: is ${type || 'nothing'}`];
  const [own, theirs] = [JSON.parse(ours.text), isObject(answer) ? answer : {}];
  return [...new Set([...Object.keys(own), ...Object.keys(theirs)])].flatMap((field) => {
    if (!(field in own)) return [`${label} ${field}: not ours`];
    if (!(field in theirs)) return [`${label} ${field}: ours alone`];
    if (field === 'error' && own.error !== theirs.error) return [`${label} says ${JSON.stringify(theirs.error)}`];
    return typeOf(own[field]) === typeOf(theirs[field]) ? [] : [`${label} ${field}: is ${typeOf(theirs[field])}`];
  });
};

const failureDifferences = (
  { route, surface }: CompiledRoute,
  label: string,
  recorded: Recorded,
  isNative: boolean,
): readonly string[] => {
  const { status, answer } = recorded;
  const kinds = [...failuresOf(route)].filter((kind) => WIRE[kind].status === status);
  if (kinds.length === 0) return [`${label}: answers ${status}`];
  const words = kinds.map((kind) => WIRE[kind].word);
  if (!isNative) return refusalDifferences(surface, words, recorded);
  const word = isObject(answer) ? answer.error : undefined;
  return kinds.some((kind) => WIRE[kind].word === word) ? [] : [`${status}: says ${JSON.stringify(word ?? 'text')}`];
};

const STREAMS: Readonly<Record<string, Plain>> = {
  'GET /tasks/stream': EVENTS.task as Plain,
  'GET /scans/stream': EVENTS.scan as Plain,
};

/** Of the data lines of a stream; other bytes are not compared. */
const eventDifferences = (label: string, answer: unknown): readonly string[] => {
  const lines = Array.isArray(answer) ? answer.filter(isEntry) : [];
  return lines.flatMap((line) => {
    const data = JSON.parse(String(line).slice('data: '.length)) as { readonly type?: string };
    const kind = String(data.type).split('_')[0] as keyof typeof EVENTS;
    return differences(STREAMS[label] ?? (EVENTS[kind] as Plain), data, label);
  });
};

const isOfType = (wanted: string, type: string): boolean =>
  wanted === '*/*' || (wanted.endsWith('/*') ? type.startsWith(wanted.slice(0, -1)) : wanted === type);

/** Rows that answer with one of two shapes: as lists show it, or with full=true the full record. */
const shapeAsked = (schema: Plain, request: string): Plain =>
  schema.anyOf?.at(/[?&]full=true/.test(request) ? -1 : 0) ?? schema;

/** How one recorded answer differs from what its row describes. */
export const differencesOf = (recorded: Recorded, router: Router = native): readonly string[] => {
  const compiled = compiledOf(recorded, router);
  if (compiled === undefined) return [`${recorded.request}: no row`];
  const { route } = compiled;
  const label = `${route.method} ${route.path}`;
  const content = route.reply[recorded.status];
  if (content === undefined) return failureDifferences(compiled, label, recorded, router === native);
  if (content === null) return recorded.answer === '<empty>' ? [] : [`${label}: has a body`];
  if (isMedia(content)) {
    const isTyped = content.media.some((one) => isOfType(one, recorded.type));
    if (!isTyped) return [`${label}: is ${recorded.type}`];
    return router === native ? eventDifferences(label, recorded.answer) : [];
  }
  if (recorded.type !== 'application/json') return [`${label}: is ${recorded.type}`];
  return differences(shapeAsked(content, recorded.request), recorded.answer, label, router !== native);
};
