// Builds a tree from the rows: which row answers a method and a path. Static segments take precedence over parameters.
import { addRoute, createRouter, findRoute } from 'rou3';
import Type, { type TSchema } from 'typebox';
import { AppError } from '../core/model/errors.js';
import type { Permission } from '../core/model/permissions.js';
import { withoutNulls } from './nulls.js';
import { needsOf } from './permit.js';
import type { Method, Route } from './route.js';
import { type Check, checkOf } from './validate.js';

/** A row with its input checks. */
export interface CompiledRoute {
  readonly route: Route;
  readonly needs: readonly Permission[];
  readonly checkParams: Check;
  readonly checkQuery: Check;
  readonly checkBody: Check | null;
  /** Set-up and login: other sites may not send requests there. */
  readonly isSignIn: boolean;
}

export interface Match {
  readonly compiled: CompiledRoute;
  readonly params: readonly (readonly [string, string])[];
}

export type Router = (method: string, path: string) => Match;

const PREFIX = '/api/v1';
const METHODS: readonly Method[] = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];

/** The full path of a row; `{name}` marks a parameter. */
export const pathOf = (route: Route): string =>
  route.path.startsWith('//') ? route.path.slice(1) : PREFIX + route.path;

/** Compiled by the first request that needs it: to compile every schema is a tenth of the work of a start, and none is needed there. */
const onFirstUse = (compileCheck: () => Check): Check => {
  let check: Check | undefined;
  return (value) => {
    check ??= compileCheck();
    return check(value);
  };
};

/** An absent optional body counts as an empty object. */
const bodyCheckOf = (schema: TSchema): Check => {
  const [strip, check] = [withoutNulls(schema), checkOf(schema, 'body')];
  const absent = Type.IsOptional(schema) ? {} : undefined;
  return (value) => check(strip(value === undefined ? absent : value));
};

const compile = (route: Route): CompiledRoute => {
  const { body, params, query } = route;
  return {
    route,
    needs: needsOf(route.access),
    checkParams: onFirstUse(() => checkOf(params, 'path')),
    checkQuery: onFirstUse(() => checkOf(query, 'query')),
    checkBody: body === null ? null : onFirstUse(() => bodyCheckOf(body)),
    isSignIn: /^\/(?:auth|setup)\//.test(route.path),
  };
};

const decode = (text: string): string => {
  if (!text.includes('%')) return text;
  try {
    return decodeURIComponent(text);
  } catch {
    throw new AppError('BadRequest', 'The path contains an invalid percent escape.');
  }
};

/** Paths of the API that are not served yet and would otherwise match a book, series or library with an odd id. */
const NOT_IDS = ['/books/bulk/**', '/series/bulk/**', '/series/external-index', '/libraries/preview-scan'];

export const buildRouter = (routes: readonly Route[]): Router => {
  const tree = createRouter<CompiledRoute | null>();
  for (const path of NOT_IDS) addRoute(tree, '', PREFIX + path, null);
  for (const route of routes)
    addRoute(tree, route.method, pathOf(route).replaceAll(/\{(\w+)\}/g, ':$1'), compile(route));
  const allowed = (path: string): Method[] =>
    METHODS.filter((method) => (findRoute(tree, method, path)?.data ?? null) !== null);
  return (method, path) => {
    const found = findRoute(tree, method === 'HEAD' ? 'GET' : method, path);
    if (found !== undefined && found.data !== null) {
      const params = Object.entries(found.params ?? {}).map(([name, text]): readonly [string, string] => [
        name,
        decode(text),
      ]);
      return { compiled: found.data, params };
    }
    const methods = allowed(path);
    if (methods.length === 0) throw new AppError('NotFound', 'There is nothing at this address.');
    throw new AppError('MethodNotAllowed', `This address supports ${methods.join(', ')}.`, { allow: methods });
  };
};
