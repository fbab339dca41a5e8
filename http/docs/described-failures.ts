// The errors of rows in the description: one answer for each status, with every word that it may have.
import { type ErrorKind, KINDS } from '../../core/model/errors.js';
import { WIRE } from '../surface/errors.js';
import { failuresOf } from '../surface/failures.js';
import type { Route } from '../surface/route.js';
import type { Json } from './printed-schemas.js';

const ALL = Object.keys(WIRE) as ErrorKind[];
const WORDS = ALL.map((kind) => WIRE[kind].word);

export const ERROR_SCHEMA: Json = {
  type: 'object',
  required: ['error', 'message', 'details'],
  properties: {
    error: { type: 'string', enum: WORDS, description: 'For programs: a code whose meaning never changes.' },
    message: { type: 'string', description: 'For people: what is wrong, and what to do.' },
    details: {
      description:
        'For an invalid request, a list of what is wrong, each with path and message (and, for a path on the disk of the server, the code of the operating system, such as ENOENT); null for most other errors.',
    },
  },
  examples: [{ error: 'NotFound', message: KINDS.NotFound.say, details: null }],
};

/** The name of an answer: its word, if the status has only one. */
const NAMES: Readonly<Record<number, string>> = { 422: 'UnreadableBook', 503: 'Unavailable' };

const kindsOf = (status: number): readonly ErrorKind[] => ALL.filter((kind) => WIRE[kind].status === status);

const nameOf = (status: number): string => {
  const [first] = kindsOf(status);
  return NAMES[status] ?? (first === undefined ? String(status) : WIRE[first].word);
};

const header = (description: string, schema: Json): Json => ({ description, schema });

const headersOf = (status: number): Json => {
  if (kindsOf(status).some((kind) => KINDS[kind].retry))
    return { headers: { 'Retry-After': header('When to try again, in seconds.', { type: 'integer' }) } };
  if (status === 416) return { headers: { 'Content-Range': header('The size of the file.', { type: 'string' }) } };
  return {};
};

const detailsOf = (kind: ErrorKind): unknown =>
  kind === 'BadRequest' ? [{ path: 'pageSize', message: 'must be a whole number' }] : null;

const responseOf = (status: number): Json => {
  const kinds = kindsOf(status);
  const examples = kinds.map((kind) => {
    const value = { error: WIRE[kind].word, message: KINDS[kind].say, details: detailsOf(kind) };
    return [WIRE[kind].word, { value }];
  });
  return {
    description: kinds.map((kind) => KINDS[kind].say.replace(/\.?$/, '.')).join(' '),
    ...headersOf(status),
    content: {
      'application/json': { schema: { $ref: '#/components/schemas/Error' }, examples: Object.fromEntries(examples) },
    },
  };
};

const statusesOf = (route: Route): readonly number[] =>
  [...new Set([...failuresOf(route)].map((kind) => WIRE[kind].status))].sort((a, b) => a - b);

/** By status: where each of the answers of a row is described. */
export const failureRefs = (route: Route): Json =>
  Object.fromEntries(
    statusesOf(route).map((status) => [String(status), { $ref: `#/components/responses/${nameOf(status)}` }]),
  );

/** The answers that these rows refer to. */
export const failureResponses = (routes: readonly Route[]): Json => {
  const statuses = [...new Set(routes.flatMap(statusesOf))].sort((a, b) => a - b);
  return Object.fromEntries(statuses.map((status) => [nameOf(status), responseOf(status)]));
};
