// The API description (OpenAPI 3.1): a pure function of the surfaces it is given. Typebox schemas are JSON Schema already.
import Type, { type TSchema } from 'typebox';
import { COOKIE } from '../surface/cookies.js';
import { WIRE } from '../surface/errors.js';
import { needsOf } from '../surface/permit.js';
import { type Content, isMedia, type Media } from '../surface/replies.js';
import type { RawBody, Route } from '../surface/route.js';
import { pathOf, type Surface } from '../surface/surface.js';
import { ERROR_SCHEMA, failureRefs, failureResponses } from './described-failures.js';
import { type Components, type Json, printed } from './printed-schemas.js';
import { exampleOf } from './schema-examples.js';

interface Properties {
  readonly properties?: Readonly<Record<string, Json>>;
  readonly required?: readonly string[];
}

const parametersOf = (schema: unknown, place: 'path' | 'query', components: Components): Json[] => {
  const { properties = {}, required = [] } = schema as Properties;
  return Object.entries(properties).map(([name, property]) => {
    const { description, ...shown } = printed(property, components) as Json;
    return {
      name,
      in: place,
      ...(description === undefined ? {} : { description }),
      required: place === 'path' || (required.includes(name) && !('default' in property)),
      schema: shown,
    };
  });
};

const bodyOf = (schema: TSchema, example: unknown, components: Components): Json => ({
  required: !Type.IsOptional(schema),
  description:
    'An optional field may also be null, which means the same as leaving it out unless its schema accepts null.',
  content: { 'application/json': { schema: printed(schema, components), example } },
});

/** A form with one file. */
const uploadOf = ([field]: readonly [string, ...string[]]): Json => ({
  required: true,
  content: {
    'multipart/form-data': {
      schema: {
        type: 'object',
        required: [field],
        properties: { [field]: { type: 'string', format: 'binary' } },
      },
    },
  },
});

const bytesOf = ({ type }: RawBody): Json => ({
  required: true,
  content: { [type]: { schema: { type: 'string', format: 'binary' } } },
});

const requestBodyOf = ({ body, upload, raw, example }: Route, components: Components): Json => {
  if (upload !== null) return { requestBody: uploadOf(upload) };
  if (raw !== null) return { requestBody: bytesOf(raw) };
  return body === null ? {} : { requestBody: bodyOf(body, example, components) };
};

const MEANING: Readonly<Record<number, string>> = {
  200: 'The answer.',
  201: 'What was created.',
  204: 'Done, or there is nothing to return; no body.',
  206: 'The requested range.',
  304: 'Not modified: the client already has this version.',
};

const HEADER_TEXT = { schema: { type: 'string' } };

const eventsOf = (content: Content | undefined): Media['events'] =>
  content != null && isMedia(content) ? content.events : undefined;

/** Headers of answers that a client may want to read. */
const headersOf = ({ query, reply }: Route, content: Content): Json => {
  if (eventsOf(content) !== undefined) return {};
  if (content !== null && isMedia(content) && 304 in reply)
    return { headers: { ETag: { description: 'Identifies this version of the content.', ...HEADER_TEXT } } };
  const isPaged = content !== null && 'page' in ((query as Properties).properties ?? {});
  return isPaged
    ? {
        headers: {
          Link: { description: 'Links to the pages around this one (RFC 8288), if there are any.', ...HEADER_TEXT },
        },
      }
    : {};
};

/** Generators of clients know bytes by this format. */
const BYTES = { schema: { type: 'string', format: 'binary' } };

/** Before OpenAPI 3.2 there is no word for what a stream consists of: by convention it is described by one event. */
const eventStreamOf = (events: readonly TSchema[], components: Components): Json => ({
  'text/event-stream': {
    schema: {
      description: 'Server-sent events. This is the data of each event, as JSON.',
      oneOf: events.map((event) => printed(event, components)),
    },
  },
});

/** With it, a client that comes back gets what it missed. */
const LAST_EVENT_ID = {
  name: 'Last-Event-ID',
  in: 'header',
  description: 'The id of the last event received.',
  required: false,
  ...HEADER_TEXT,
};

const contentOf = (content: Content, components: Components, alternative: Media | null): Json => {
  if (content === null) return {};
  const events = eventsOf(content);
  if (events !== undefined) return { content: eventStreamOf(events, components) };
  if (isMedia(content)) return { content: Object.fromEntries(content.media.map((type) => [type, BYTES])) };
  const others = (alternative?.media ?? []).map((type) => [type, BYTES]);
  return { content: { 'application/json': { schema: printed(content, components) }, ...Object.fromEntries(others) } };
};

const responsesOf = (route: Route, components: Components): Json => {
  const replies = Object.entries(route.reply).map(([status, content]) => [
    status,
    {
      description: MEANING[Number(status)] ?? 'The answer.',
      ...headersOf(route, content),
      ...contentOf(content, components, status === '200' ? route.alternative : null),
    },
  ]);
  return { ...Object.fromEntries(replies), ...failureRefs(route) };
};

const permissionsOf = ({ access, administrator }: Route): Json => {
  const needs = needsOf(access);
  return {
    ...(needs.length === 0 ? {} : { 'x-permissions': needs }),
    ...(administrator ? { 'x-administrator': true } : {}),
  };
};

/** Where a status stands for several errors: those that are the row's own. */
const errorsOf = ({ fails }: Route): Json =>
  fails.length === 0 ? {} : { 'x-errors': fails.map((kind) => WIRE[kind].word) };

const tagOf = ({ id }: Route): string => id.split('.')[0] ?? 'other';

/** Any of them signs in, on every row that needs a login. */
const SECURITY = {
  bearer: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'JWT',
    description: 'The access token that POST /auth/login answers, or an API key.',
  },
  basic: {
    type: 'http',
    scheme: 'basic',
    description: 'A user name (or e-mail address) and the password, or the name api and an API key as the password.',
  },
  key: { type: 'apiKey', in: 'header', name: 'X-API-Key', description: 'An API key.' },
  cookie: {
    type: 'apiKey',
    in: 'cookie',
    name: COOKIE,
    description: 'The cookie that a login sets. Pages of other sites can change nothing with it.',
  },
};

const operationOf = (route: Route, components: Components): Json => ({
  operationId: route.id,
  tags: [tagOf(route)],
  summary: route.about,
  parameters: [
    ...parametersOf(route.params, 'path', components),
    ...parametersOf(route.query, 'query', components),
    ...(eventsOf(route.reply[200]) === undefined ? [] : [LAST_EVENT_ID]),
  ],
  ...requestBodyOf(route, components),
  responses: responsesOf(route, components),
  security: route.access === 'public' ? [] : Object.keys(SECURITY).map((way) => ({ [way]: [] })),
  ...permissionsOf(route),
  ...errorsOf(route),
});

/** What the groups of rows are about. */
const TAGS: Readonly<Record<string, string>> = {
  setup: 'Creating the first user.',
  auth: 'Logging in and out, and your own account.',
  keys: 'API keys, for devices and programs.',
  libraries: 'Folders of books on the server, their lists and scans.',
  scans: 'Scans of all libraries.',
  books: 'Lists of books, and one book: its file, cover, metadata and neighbours.',
  series: 'Lists of series, and one series: its books, cover and metadata.',
  pages: 'Pages of a book as images.',
  genres: 'Genres of all books and series.',
  tags: 'Tags of all books and series.',
  collections: 'Sets of series, chosen by hand or by a condition.',
  readlists: 'Books in their intended order, across series.',
  progress: 'What the caller is reading.',
  progression: 'The exact position in a book, as reading apps store it.',
  user: 'Data of the caller alone.',
  users: 'Accounts, for administrators.',
  sharing: 'Sharing tags and the series that carry them: with grants, they decide who sees what.',
  groups: 'Access groups: users to whom sharing tags are granted together.',
  audit: 'Who changed what, for administrators.',
  wanted: 'What the caller wants to read.',
  events: 'Changes in the catalog, as they happen.',
  tasks: 'Work in the background.',
  metrics: 'What the libraries hold, and metrics of tasks and of the server.',
  health: 'Whether the server answers.',
};

/** Each named record with an example. */
const withExamples = (components: Components): Json =>
  Object.fromEntries(
    [...components]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, schema]) => [name, { ...schema, examples: [exampleOf(schema, components)] }]),
  );

export const toOpenApi = (surfaces: readonly Surface[], version: string): Json => {
  const components: Components = new Map();
  const routes = surfaces.flatMap(({ rows }) => rows);
  const paths: Record<string, Record<string, Json>> = {};
  for (const surface of surfaces)
    for (const route of surface.rows) {
      const path = pathOf(surface, route).replace('*}', '}'); // OpenAPI has no sign for the rest of a path
      paths[path] = { ...paths[path], [route.method.toLowerCase()]: operationOf(route, components) };
    }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Longbox',
      version,
      description:
        'A library server for comics, manga and books. Log in and send the token in the header Authorization: Bearer TOKEN. ' +
        'A request with an unknown HTTP method gets no answer over uWebSockets.js: the connection is closed. ' +
        'Over node:http, an address and headers of more than 16 kB together are refused with 431, in the form of any other error.',
      license: { name: 'AGPL-3.0-or-later', identifier: 'AGPL-3.0-or-later' },
    },
    servers: [{ url: '/', description: 'The server that serves this description.' }],
    tags: [...new Set(routes.map(tagOf))].map((name) => ({ name, description: TAGS[name] ?? name })),
    paths,
    components: {
      schemas: { Error: ERROR_SCHEMA, ...withExamples(components) },
      responses: failureResponses(routes),
      securitySchemes: SECURITY,
    },
  };
};
