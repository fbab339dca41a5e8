// Builds a tree from the rows of all surfaces: which row answers a method and a path. Static segments take precedence over parameters,
// parameters over the rest of a path.
import { addRoute, createRouter, findRoute } from 'rou3';
import Type, { type TSchema } from 'typebox';
import { AppError } from '../../core/model/errors.js';
import type { Permission } from '../../core/model/permissions.js';
import { withoutNulls } from './nulls.js';
import { needsOf } from './permit.js';
import { isSignIn, type Method, type Route } from './route.js';
import { coerce } from './schemas.js';
import { pathOf, type Surface, surfaceFinder } from './surface.js';
import { type Check, checkOf } from './validate.js';

/** A row with its input checks and its surface. */
export interface CompiledRoute {
  readonly surface: Surface;
  readonly route: Route;
  readonly needs: readonly Permission[];
  readonly checkParams: Check;
  readonly checkQuery: Check;
  /** The checked input of a query as it stands in an address, without its question mark. Frozen: requests share what was checked before. */
  readonly queryIn: (text: string) => unknown;
  readonly checkBody: Check | null;
  /** Set-up and login: other sites may not send requests there. */
  readonly isSignIn: boolean;
}

export interface Match {
  readonly compiled: CompiledRoute;
  /** Checked when first asked for; frozen, since every request of the address gets them. Throws when they are wrong. */
  params(): unknown;
}

export interface Router {
  /** Throws NotFound, or MethodNotAllowed when another method would be answered. */
  find(method: string, path: string): Match;
  /** Methods that are answered at an address, HEAD and OPTIONS included; none when nothing is there. */
  methodsAt(path: string): readonly string[];
  surfaceOf(path: string): Surface;
  /** Every row. */
  readonly all: readonly CompiledRoute[];
}

/** Addresses that were found before: to walk the tree takes several times as long as to look them up. Longer ones are not kept. */
const FOUND_MAX = 2048;
const FOUND_CHARACTERS = 120;

const METHODS: readonly Method[] = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];

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

/** A row is asked with few different queries, but with those often: each page of a book has the same. Longer ones are not kept. */
const QUERIES_MAX = 32;
const QUERY_CHARACTERS = 80;

const frozen = (value: unknown): unknown => {
  if (typeof value !== 'object' || value === null) return value;
  for (const part of Object.values(value)) frozen(part);
  return Object.freeze(value);
};

const queriesOf = (schema: TSchema, check: Check): ((text: string) => unknown) => {
  const known = new Map<string, unknown>();
  return (text) => {
    const found = known.get(text);
    if (found !== undefined) return found;
    const checked = frozen(check(text === '' ? {} : coerce(schema, new URLSearchParams(text))));
    if (text.length > QUERY_CHARACTERS) return checked;
    if (known.size >= QUERIES_MAX) known.clear();
    known.set(text, checked);
    return checked;
  };
};

const ID_NAME = /^(?:id|[a-z]+Id)$/;

const areIds = (faults: unknown): boolean =>
  Array.isArray(faults) && faults.length > 0 && faults.every(({ path }) => ID_NAME.test(String(path)));

/** What is wrong with an address is that nothing has such an id. */
const unknownIds =
  (check: Check): Check =>
  (value) => {
    try {
      return check(value);
    } catch (thrown) {
      if (!(thrown instanceof AppError && thrown.kind === 'BadRequest' && areIds(thrown.details))) throw thrown;
      throw new AppError('NotFound', 'There is nothing with this id.', null, thrown);
    }
  };

const compile = (surface: Surface, route: Route): CompiledRoute => {
  const { body, params, query } = route;
  const checkQuery = onFirstUse(() => checkOf(query, 'query'));
  return {
    surface,
    route,
    needs: needsOf(route.access),
    checkParams: onFirstUse(() => {
      const check = checkOf(params, 'path');
      return surface.hasOpaqueIds === true ? unknownIds(check) : check;
    }),
    checkQuery,
    queryIn: queriesOf(query, checkQuery),
    checkBody: body === null ? null : onFirstUse(() => bodyCheckOf(body)),
    isSignIn: isSignIn(route),
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

const EMPTY = {};

/** The parameters of an address that is asked for again are not checked again. */
const matchOf = (compiled: CompiledRoute, pairs: readonly (readonly [string, string])[]): Match => {
  let checked: unknown;
  const check = (): unknown => compiled.checkParams(pairs.length === 0 ? EMPTY : coerce(compiled.route.params, pairs));
  return {
    compiled,
    params: () => {
      checked ??= Object.freeze(check());
      return checked;
    },
  };
};

/** `/files/{name*}` as the tree writes it: `/files/**:name`. */
const inTree = (path: string): string => path.replaceAll(/\{(\w+)\*\}/g, '**:$1').replaceAll(/\{(\w+)\}/g, ':$1');

export const buildRouter = (surfaces: readonly Surface[]): Router => {
  const tree = createRouter<CompiledRoute | null>();
  const all: CompiledRoute[] = [];
  for (const surface of surfaces) {
    for (const path of surface.notIds ?? []) addRoute(tree, '', surface.prefix + path, null);
    for (const route of surface.rows) {
      const compiled = compile(surface, route);
      all.push(compiled);
      addRoute(tree, route.method, inTree(pathOf(surface, route)), compiled);
    }
  }
  const answered = (path: string): Method[] =>
    METHODS.filter((method) => (findRoute(tree, method, path)?.data ?? null) !== null);
  const methodsAt = (path: string): readonly string[] => {
    const methods = answered(path);
    if (methods.length === 0) return methods;
    return [...methods.flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method])), 'OPTIONS'];
  };
  const walk = (method: string, path: string): Match => {
    const leaf = findRoute(tree, method === 'HEAD' ? 'GET' : method, path);
    if (leaf !== undefined && leaf.data !== null) {
      const params = Object.entries(leaf.params ?? {}).map(([name, text]): readonly [string, string] => [
        name,
        decode(text),
      ]);
      return matchOf(leaf.data, params);
    }
    const methods = answered(path);
    if (methods.length === 0) throw new AppError('NotFound', 'There is nothing at this address.');
    throw new AppError('MethodNotAllowed', `This address supports ${methods.join(', ')}.`, { allow: methodsAt(path) });
  };
  const found = new Map<string, Map<string, Match>>(METHODS.map((method) => [method, new Map()]));
  const remember = (method: string, path: string, match: Match): Match => {
    const ofMethod = found.get(method);
    if (ofMethod === undefined || path.length > FOUND_CHARACTERS) return match;
    if (ofMethod.size >= FOUND_MAX) ofMethod.clear();
    ofMethod.set(path, match);
    return match;
  };
  const find = (method: string, path: string): Match =>
    found.get(method)?.get(path) ?? remember(method, path, walk(method, path));
  return { find, methodsAt, surfaceOf: surfaceFinder(surfaces), all };
};
