// Holds answers against their description: the schema that their row names, with no field beyond it, or an error that the row may answer with.
import type { TSchema } from 'typebox';
import Type from 'typebox';
import { Compile } from 'typebox/compile';
import { API, ROOT } from '../http/api/surface.js';
import { WIRE } from '../http/surface/errors.js';
import { failuresOf } from '../http/surface/failures.js';
import { type Content, isMedia } from '../http/surface/replies.js';
import type { Route } from '../http/surface/route.js';
import { buildRouter, type Router } from '../http/surface/router.js';
import type { Surface } from '../http/surface/surface.js';

export interface Answered {
  readonly status: number;
  /** The Content-Type header. */
  readonly type: string | undefined;
  readonly bytes: Buffer;
}

type Faults = (value: unknown) => readonly string[];

/** The same schema, but records have no field that it does not name. */
export const closed = (schema: unknown): unknown => {
  if (Array.isArray(schema)) return schema.map(closed);
  if (typeof schema !== 'object' || schema === null) return schema;
  const parts = Object.fromEntries(Object.entries(schema).map(([name, part]) => [name, closed(part)]));
  return 'properties' in parts && parts.type === 'object' ? { ...parts, additionalProperties: false } : parts;
};

const known = new WeakMap<TSchema, Faults>();

const faultsBy = (schema: TSchema): Faults => {
  const found = known.get(schema);
  if (found !== undefined) return found;
  const validator = Compile(closed(schema) as TSchema);
  const faults: Faults = (value) =>
    validator.Check(value)
      ? []
      : validator
          .Errors(value)
          .map(({ instancePath, message }) => `${instancePath === '' ? '/' : instancePath} ${message}`);
  known.set(schema, faults);
  return faults;
};

/** Where a value does not fit a schema, or has more than it names. */
export const faultsIn = (schema: TSchema, value: unknown): readonly string[] => faultsBy(schema)(value);

const errorFields = {
  error: Type.Enum([...new Set(Object.values(WIRE).map(({ word }) => word))]),
  message: Type.String({ minLength: 1 }),
  details: Type.Unknown(),
};

const ENVELOPE = Type.Object(errorFields);

/** Errors of surfaces that have a shape of their own, by the name of the surface. */
const ERRORS: Readonly<Record<string, TSchema>> = {
  'comic-server API': Type.Object({
    ...errorFields,
    timestamp: Type.String({ pattern: '^\\d{4}-\\d\\d-\\d\\dT' }),
    status: Type.Integer(),
    path: Type.String({ pattern: '^/' }),
  }),
  'e-reader sync': Type.Object({ ...errorFields, code: Type.Integer() }),
};

const isOf = (type: string, wanted: string): boolean =>
  wanted === '*/*' || (wanted.endsWith('/*') ? type.startsWith(wanted.slice(0, -1)) : type.split(';')[0] === wanted);

const contentFaults = (content: Content, { type = '', bytes }: Answered): readonly string[] => {
  if (content === null) return bytes.length === 0 ? [] : ['has a body'];
  if (isMedia(content)) return content.media.some((one) => isOf(type, one)) ? [] : [`is of the type ${type}`];
  if (!isOf(type, 'application/json')) return [`is of the type ${type}`];
  return faultsIn(content, JSON.parse(bytes.toString()));
};

/** How a catalogue says that a login is needed (Authentication for OPDS 1.0). */
const AUTHENTICATION = Type.Object({
  id: Type.String({ minLength: 1 }),
  title: Type.String({ minLength: 1 }),
  description: Type.String(),
  authentication: Type.Array(Type.Object({ type: Type.String(), labels: Type.Record(Type.String(), Type.String()) })),
});

const failureFaults = (
  surface: Surface,
  route: Route | undefined,
  { status, type = '', bytes }: Answered,
): readonly string[] => {
  if (status === 401 && isOf(type, 'application/opds-authentication+json'))
    return faultsIn(AUTHENTICATION, JSON.parse(bytes.toString()));
  if (!isOf(type, 'application/json')) return [`is of the type ${type}`];
  const value = JSON.parse(bytes.toString());
  const faults = faultsIn(ERRORS[surface.name] ?? ENVELOPE, value);
  if (faults.length > 0 || route === undefined) return faults;
  const isNamed = [...failuresOf(route)].some(
    (kind) => WIRE[kind].word === value.error && WIRE[kind].status === status,
  );
  return isNamed ? [] : [`is an error that the row does not name: ${value.error}: ${value.message}`];
};

const rowAt = (router: Router, method: string, path: string): Route | undefined => {
  try {
    return router.find(method, path).compiled.route;
  } catch {
    return undefined;
  }
};

/** Throws if an answer is not as described. A row that is not found may only have refused. */
export const answerCheck = (router: Router): ((method: string, path: string, answer: Answered) => void) => {
  return (method, path, answer) => {
    if (method === 'OPTIONS' || (method === 'HEAD' && answer.bytes.length === 0)) return;
    const route = rowAt(router, method, path);
    const content = route?.reply[answer.status];
    const isOther = answer.status === 200 && route?.alternative?.media.some((one) => isOf(answer.type ?? '', one));
    if (isOther === true) return;
    const faults =
      content === undefined ? failureFaults(router.surfaceOf(path), route, answer) : contentFaults(content, answer);
    if (faults.length === 0) return;
    const start = answer.bytes.subarray(0, 300).toString();
    throw new Error(
      `${method} ${path} answers ${answer.status}, which is not as described: ${faults.slice(0, 8).join('; ')}\n${start}`,
    );
  };
};

/** For answers of programs that run as they are delivered. */
export const checkServed = answerCheck(buildRouter([API, ROOT]));

const isJson = (type: string | null): boolean => type?.includes('json') === true;

/** Like the global one, for programs that run as they are delivered: JSON that does not fit its description rejects. */
export const fetch = async (address: string, init?: RequestInit): Promise<Response> => {
  const response = await globalThis.fetch(address, init);
  const type = response.headers.get('content-type');
  const { pathname } = new URL(address);
  if (!isJson(type) || !/^\/(?:api\/v1|health)\b/.test(pathname)) return response;
  const bytes = Buffer.from(await response.clone().arrayBuffer());
  if (bytes.length > 0)
    checkServed(init?.method ?? 'GET', pathname, { status: response.status, type: type ?? undefined, bytes });
  return response;
};
