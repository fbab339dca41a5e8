// Every row of every surface, asked by a user with random restrictions: no answer names what is hidden, lists are those of somebody who sees
// everything without it, and what is hidden is answered like what does not exist, also by rows that would change it.
import fc from 'fast-check';
import type { Answer, CallOptions } from '../app.js';
import { isForm } from '../form.js';
import { bodyOf, UNKNOWN_ID } from '../http/row-bodies.js';
import { assert, block, IS_FULL } from '../kit.js';
import {
  addressesOf,
  type ContentRow,
  FILTER_BODIES,
  FILTERS,
  GETS,
  type Ids,
  idOf,
  moreBodies,
  pageSizeOf,
  queriesFor,
  runsWithout,
  spellingsOf,
  tellsLibraries,
  WRITES,
} from './content-rows.js';
import { become, type GuardedShelf, groupOfAll, guardedShelf, type Shown } from './guarded-shelf.js';
import {
  applyStep,
  booksSeen,
  maySee,
  noRights,
  type Rights,
  type Step,
  stepArb,
  storeNoRights,
} from './random-grants.js';
import { storedRows } from './stored-rows.js';
import { tellStep } from './told-grants.js';

// biome-ignore lint/suspicious/noExplicitAny: answers of many shapes are read by the fields the contract names
type Json = any;

let shelf: GuardedShelf;
let ids: Ids = {};
let key = '';
/** Collections and read lists with one member, by the series that it is or is of. */
const singles = new Map<string, string>();

const ask = (with_: CallOptions, method: string, path: string, body?: unknown): Promise<Answer> =>
  shelf.temp.call(method, path, { ...with_, ...(body === undefined ? {} : { body }) });

const api = async (method: string, path: string, body?: unknown): Promise<Json> =>
  (await ask({ token: shelf.free }, method, `/api/v1${path}`, body)).json;

/** What a person sees, and what must not be said to them. */
interface Sight {
  readonly hidden: readonly Shown[];
  readonly hiddenIds: ReadonlySet<string>;
  readonly hiddenLibraries: ReadonlySet<string>;
  readonly words: readonly string[];
  /** Readers and keys do not get into every row. */
  readonly isLess: boolean;
  readonly as: CallOptions;
}

const WAYS = ['admin', 'reader', 'key'] as const;

const sightOf = (rights: Rights, way: (typeof WAYS)[number]): Sight => {
  const { all, limited } = shelf;
  const isReader = way === 'reader';
  const hidden = all.filter((one) => !maySee(rights, one));
  const closed = all.filter(({ library }) => rights.libraries?.includes(library) === false);
  const hiddenLibraries = new Set(closed.map(({ libraryId }) => libraryId));
  const own = hidden.flatMap(({ id, title, books }) => [id, title, ...books, ...(isReader ? [singles.get(id)] : [])]);
  const unseen = all.flatMap((one) => one.books.filter((id) => !booksSeen(rights, one).includes(id)));
  const words = [...own, ...unseen].flatMap(spellingsOf);
  const terms = hidden.flatMap(({ title }) => [ids[`genre ${title}`]?.[0] ?? '', ids[`tag ${title}`]?.[0] ?? '']);
  const rows = hidden.flatMap(({ id, books }) => [id, ...books]);
  const hiddenIds = new Set([...rows, ...unseen, ...hiddenLibraries, ...terms]);
  const as: CallOptions = way === 'key' ? { headers: { 'x-api-key': key } } : { token: limited };
  return { hidden, hiddenIds, hiddenLibraries, words, isLess: way !== 'admin', as };
};

/** All that an answer says, with `*` for an id that was asked for. */
const said = ({ status, header, bytes }: Answer, id: string): string =>
  `${status} ${header('content-type')} ${header('content-disposition')} ${header('cache-control')} ${bytes.toString()}`.replaceAll(
    id,
    '*',
  );

const listOf = (json: Json): Json[] => {
  const list = json?.data ?? json?.content ?? json?.items ?? json?.progress ?? json;
  return Array.isArray(list) ? list : [];
};

const keysIn = (json: Json, universe: ReadonlySet<string>): string[] =>
  listOf(json).flatMap((one) => (universe.has(idOf(one)) ? [idOf(one)] : []));

const checkSeen = async (row: ContentRow, path: string, sight: Sight, universe: ReadonlySet<string>): Promise<void> => {
  const answer = await ask(sight.as, 'GET', path);
  const text = said(answer, '\n');
  const libraries = tellsLibraries(row) ? [] : [...sight.hiddenLibraries];
  const told = [...sight.words, ...libraries].filter((word) => text.includes(word));
  assert.equal(told, [], `${path} names what is hidden: ${text.slice(0, 300)}`);
  if (answer.status === 403 && sight.isLess) return;
  // For a reader, lists without a visible member do not exist: visibility.test.ts says which.
  if (answer.status === 404 && sight.isLess && /\/(?:collections|readlists)\//.test(path)) return;
  const whole = await ask({ token: shelf.free }, 'GET', path);
  // Of neighbours the hidden ones are left out: adjacent.test.ts says which of the others it is.
  if (/\/(?:previous|next)$/.test(path) && sight.hiddenIds.has(idOf(whole.json))) return;
  if (!path.includes('/thumbnail')) assert.is(answer.status, whole.status, path);
  const visible = keysIn(whole.json, universe).filter((id) => !sight.hiddenIds.has(id));
  const expected = path.includes('/books/duplicates') && visible.length === 1 ? [] : visible; // all copies are of one file
  assert.equal(keysIn(answer.json, universe), expected, path);
  const total = answer.json?.total ?? answer.json?.totalElements ?? expected.length;
  if (keysIn(whole.json, universe).length > 0) assert.is(total, expected.length, `total of ${path}`);
};

/** As if it did not exist: the same words to the same request. */
const checkHidden = async (method: string, path: string, id: string, sight: Sight, body?: unknown): Promise<void> => {
  const swapped = (text: string): string => text.replaceAll(id, UNKNOWN_ID);
  const answer = await ask(sight.as, method, path, body);
  const other = body === undefined || isForm(body) ? body : JSON.parse(swapped(JSON.stringify(body)));
  const unknown = await ask(sight.as, method, swapped(path), other);
  assert.is(said(answer, id), said(unknown, UNKNOWN_ID), `${method} ${path} ${JSON.stringify(body)}`);
};

/** A word that only hidden rows have finds what a word finds that no row has. */
const checkWord = async (method: string, path: string, word: string, sight: Sight, body?: unknown): Promise<void> => {
  const swapped = (text: string): string => text.replaceAll(word, word.replace(/^./, 'Zq'));
  const answer = await ask(sight.as, method, path, body);
  const other = body === undefined || isForm(body) ? body : JSON.parse(swapped(JSON.stringify(body)));
  const unknown = await ask(sight.as, method, swapped(path), other);
  assert.is(said(answer, word), said(unknown, swapped(word)), `${method} ${path} ${JSON.stringify(body)}`);
};

const checkAsked = async (row: ContentRow, path: string, one: Shown, sight: Sight, body?: unknown): Promise<void> => {
  const text = `${path.split('?')[1]} ${JSON.stringify(body)}`;
  const { method } = row.route;
  if (text.includes(one.id)) await checkHidden(method, path, one.id, sight, body);
  else if (text.includes(one.libraryId)) await checkHidden(method, path, one.libraryId, sight, body);
  else await checkWord(method, path, one.title, sight, body);
};

const checkGets = async (sight: Sight): Promise<void> => {
  const universe = new Set(shelf.all.flatMap(({ id, books, libraryId }) => [id, libraryId, ...books]));
  const [one] = sight.hidden;
  for (const row of GETS) {
    for (const { path, id } of addressesOf(row, ids)) {
      const isHidden = id !== null && sight.hiddenIds.has(id) && !runsWithout(row);
      if (isHidden) await checkHidden('GET', path, id, sight);
      else await checkSeen(row, path + pageSizeOf(row), sight, universe);
    }
    if (one === undefined) continue;
    const [{ path } = { path: '' }] = addressesOf(row, ids);
    for (const query of queriesFor(row, one, sight.hiddenLibraries.has(one.libraryId)))
      await checkAsked(row, `${path}?${query}`, one, sight);
  }
  if (one === undefined) return;
  for (const row of FILTERS)
    for (const body of FILTER_BODIES[row.route.id]?.(one, sight.hiddenLibraries.has(one.libraryId)) ?? [])
      await checkAsked(row, row.path, one, sight, body);
};

/** What somebody asked for by a body, who cannot see it. */
const hiddenBody = (row: ContentRow, { id, books: [book = ''] }: Shown): unknown => {
  const body = JSON.stringify(bodyOf(row.route));
  return JSON.parse(body.replaceAll(UNKNOWN_ID, body.includes('ook') ? book : id));
};

const checkWrites = async (sight: Sight): Promise<void> => {
  const [one] = sight.hidden;
  if (one === undefined) return;
  const seen = shelf.all.find((other) => !sight.hidden.includes(other));
  const terms = ['genres', 'tags'].map((part) => [part, ids[`${part.slice(0, -1)} ${one.title}`] ?? []]);
  const hiddenIds: Ids = {
    ...ids,
    ...Object.fromEntries(terms),
    series: [one.id],
    books: one.books.slice(0, 1),
    handles: one.books.slice(0, 1),
  };
  let before = await storedRows(shelf.temp.app.db);
  for (const row of WRITES.filter((one) => !runsWithout(one))) {
    const [{ path, id } = { path: '', id: null }] = addressesOf(row, hiddenIds);
    const { body, upload, method } = row.route;
    if (id !== null && sight.hiddenIds.has(id))
      await checkHidden(method, path, id, sight, body === null && upload === null ? undefined : bodyOf(row.route));
    else {
      const bodies = [...moreBodies(row, one, seen, ids), ...(row.path.includes('{') ? [hiddenBody(row, one)] : [])];
      for (const each of bodies.filter((other) => /ids?"/i.test(JSON.stringify(other))))
        for (const named of [one.id, one.books[0] ?? '', ids[`wanted ${one.id}`]?.[0] ?? ''])
          if (JSON.stringify(each).includes(named)) await checkHidden(method, path, named, sight, each);
    }
    const after = await storedRows(shelf.temp.app.db);
    const changed = [...after].filter(([table, rows]) => before.get(table) !== rows).map(([table]) => table);
    assert.equal(changed, [], `changed by ${row.name}`);
    before = after;
  }
};

const idsOf = async (): Promise<Ids> => {
  const { all, collections, listId, limited } = shelf;
  const { json: me } = await ask({ token: limited }, 'GET', '/api/v1/auth/me');
  const { json: wanted } = await ask({ token: limited }, 'GET', '/api/v1/want-to-read');
  const named: [string, readonly string[]][] = [];
  for (const kind of ['genre', 'tag'])
    for (const { name, id } of (await api('GET', `/${kind}s?pageSize=100`)).data) named.push([`${kind} ${name}`, [id]]);
  for (const { id, seriesId } of wanted.items) if (seriesId) named.push([`wanted ${seriesId}`, [id]]);
  for (const one of all.slice(0, 3)) {
    const name = `Single ${all.indexOf(one)}`;
    singles.set(one.id, name);
    const { id } = await api('POST', '/collections', { name });
    await api('POST', `/collections/${id}/series`, { seriesIds: [one.id] });
    const list = await api('POST', '/readlists', { name });
    await api('POST', `/readlists/${list.id}/books`, { bookIds: one.books });
  }
  const made = (await ask({ token: limited }, 'POST', '/api/v1/api-keys', { name: 'k' })).json;
  key = made.key;
  return {
    ...Object.fromEntries(named),
    libraries: [...new Set(all.map(({ libraryId }) => libraryId))],
    series: all.map(({ id }) => id),
    books: all.flatMap(({ books }) => books),
    handles: all.flatMap(({ books }) => books),
    genres: [],
    tags: [],
    collections,
    readlists: [listId],
    duplicates: [await groupOfAll(shelf)],
    tasks: [(await api('POST', '/tasks', { taskType: { type: 'generate_thumbnails' } })).taskId],
    users: [me.id],
    'api-keys': [made.id],
    sessions: [],
    'alternate-titles': [],
    covers: [],
    // Not the id of nothing: errors repeat their path, where that id is replaced.
    thumbnails: ['01890000-0000-7000-8000-000000000001'],
    'read-history': [],
    'sharing-tags': [],
    'access-groups': [],
    grants: [],
    members: [],
    'oidc-mappings': [],
    settings: ['application.name'],
    'reader-profiles': [],
    backups: [],
  };
};

const [STATES, RUNS] = IS_FULL ? [4, 4] : [2, 1];
/** Oftener than among the other steps, since everything else is told apart by it. */
const ageArb = fc.record({
  kind: fc.constant('limit' as const),
  libraries: fc.constant(null),
  ageLimit: fc.constantFrom(0, 12),
  showUnrated: fc.boolean(),
});
const oneStep = fc.oneof({ arbitrary: stepArb, weight: 4 }, { arbitrary: ageArb, weight: 1 });
const state = fc.record({ steps: fc.array(oneStep, { minLength: 1, maxLength: 4 }), way: fc.constantFrom(...WAYS) });

const tell = async (rights: Rights, step: Step): Promise<void> => {
  const { temp, free, rows } = shelf;
  applyStep(rights, rows, step);
  await tellStep(temp, free, rows, step);
};

block(
  'hidden answers',
  (check) => {
    check('every row that filters is asked for what is hidden', () => {
      assert.equal(FILTERS.map(({ route }) => route.id).sort(), Object.keys(FILTER_BODIES).sort());
    });
    check('every row is as if what is hidden did not exist', () =>
      fc.assert(
        fc.asyncProperty(fc.array(state, { minLength: STATES, maxLength: STATES }), async (states) => {
          const rights = noRights();
          await storeNoRights(shelf.temp.app.db, shelf.rows);
          for (const { steps, way } of states) {
            for (const step of steps) await tell(rights, step);
            await become(shelf, way === 'reader' ? 'reader' : 'admin');
            const sight = sightOf(rights, way);
            await checkGets(sight).finally(() => become(shelf, 'admin'));
            if (way !== 'reader') await checkWrites(sight);
            assert.equal(shelf.temp.faults, []);
          }
        }),
        // What one run changes, the next would see: no smaller one is looked for.
        { numRuns: RUNS, includeErrorInReport: true, endOnFailure: true },
      ),
    );
  },
  {
    before: async () => {
      shelf = await guardedShelf();
      ids = await idsOf();
    },
    after: () => shelf.temp.close(),
    deadlineS: 480,
  },
);
