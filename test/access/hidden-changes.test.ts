// What happens to books, series and libraries that a person may not see, and what other users do, changes no answer to that person: every
// row that is read, byte by byte with its headers, before and after, a minute later. Only the times of scans are no secret.
import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Role } from '../../core/model/permissions.js';
import { type Answer, coversMade, type TempApp, tempApp, until, writeBook } from '../app.js';
import { comicInfo } from '../catalog/told-shelf.js';
import { follow } from '../events/listener.js';
import { UNKNOWN_ID } from '../http/row-bodies.js';
import { assert, block } from '../kit.js';
import { difference, isStream, queriesOf, seen, withoutNow, withoutScanTimes } from './compared-answers.js';
import { addressesOf, GETS, type Ids, pageSizeOf } from './content-rows.js';

let temp: TempApp;
let root = '';
let ids: Ids = {};
const libraries: string[] = [];
let series: Readonly<Record<string, string>> = {};
let books: Readonly<Record<string, string>> = {};
let lists: { readonly collection: string; readonly readlist: string };

const addresses = (): readonly string[] =>
  GETS.filter((row) => !isStream(row)).flatMap((row) => {
    const paths = addressesOf(row, ids).map(({ path }) => path);
    return paths.flatMap((path) => [path + pageSizeOf(row), ...queriesOf(row).map((query) => `${path}?${query}`)]);
  });

/** What may follow something hidden, each for a reason. */
const isExplained = (role: Role, path: string, { isScanned }: Change): boolean => {
  if (role !== 'maintainer') return false;
  // The second scan is a task itself: which tasks there are is looked at below.
  if (isScanned && /\/tasks(?:\/stats)?(?:\?|$)/.test(path)) return true;
  // Whoever may change lists sees that there are such of hidden members alone, to find and remove them.
  return /\/collections(?:\?|$)/.test(path);
};

const snapshot = async (token: string): Promise<ReadonlyMap<string, string>> => {
  const found = new Map<string, string>();
  for (const path of addresses()) found.set(path, withoutNow(path, seen(await temp.kept('GET', path, { token }))));
  return found;
};

const idle = async (): Promise<void> => {
  await until('nothing runs', async () => {
    const left = await temp.app.db.all(`SELECT 1 FROM task WHERE state IN ('pending', 'running')`);
    return left.length === 0 && temp.app.scans.active().length === 0;
  });
  await coversMade(temp);
  await until('nothing is made in the background', () => temp.app.due.covers.active().length === 0);
};

const api = async (method: string, path: string, body?: unknown): Promise<Answer> => {
  const answer = await temp.call(method, `/api/v1${path}`, { token: root, ...(body === undefined ? {} : { body }) });
  assert.ok(answer.status < 300, `${method} ${path}: ${answer.status} ${answer.bytes}`);
  return answer;
};

const scan = async (): Promise<void> => {
  await api('POST', `/libraries/${libraries[0]}/scan?acceptMissing=true`);
  await idle();
};

const at = (...parts: readonly string[]): string => join(temp.shelf, 'first', ...parts);

const write = (name: string, number: number, isHidden: boolean, more: Readonly<Record<string, string>> = {}): void =>
  writeBook(
    at(name, `${name} ${number}.cbz`),
    2,
    `${name} ${number}`,
    comicInfo({
      Title: `${name} story ${number}`,
      Number: String(number),
      Year: String(2000 + number),
      Genre: isHidden ? 'Shared, Secret genre' : 'Shared',
      Tags: isHidden ? 'common, secret tag' : 'common',
      Writer: isHidden ? 'Ann Shared, Secret Writer' : 'Ann Shared',
      Publisher: 'Shared House',
      LanguageISO: 'en',
      AgeRating: isHidden ? 'Adults Only 18+' : 'Teen',
      ...more,
    }),
  );

/** What happens between two looks; with a scan after it, one that finds nothing comes before the first look. */
interface Change {
  readonly what: string;
  readonly isScanned: boolean;
  readonly make: () => unknown;
}

const ARRIVALS: Change = {
  what: 'hidden books and series come',
  isScanned: true,
  make: () => {
    write('Bees', 3, true);
    write('Aaaa', 1, true);
    write('Antsy', 1, true, { Title: 'Ants', Writer: 'Ann Shared' });
  },
};

const DAMAGES: Change = {
  what: 'hidden files are damaged, renamed and get other metadata',
  isScanned: true,
  make: () => {
    writeFileSync(at('Bees', 'Bees 1.cbz'), 'no archive');
    write('Dogs', 1, true, { Title: 'Foks', Genre: 'Other' });
    renameSync(at('Dogs', 'Dogs 2.cbz'), at('Dogs', 'D 2.cbz'));
    renameSync(at('Antsy'), at('Antsz'));
  },
};

const LOSSES: Change = {
  what: 'hidden files and folders are removed',
  isScanned: true,
  make: () => {
    rmSync(at('Dogs', 'D 2.cbz'));
    rmSync(at('Aaaa'), { recursive: true });
  },
};

const EDITS: Change = {
  what: 'hidden series, books and members of lists are edited and purged',
  isScanned: false,
  make: async () => {
    await api('DELETE', `/libraries/${libraries[0]}/purge-deleted`);
    await api('PATCH', `/series/${series.Bees}`, { title: 'Ants, the second' });
    await api('PATCH', `/series/${series.Bees}/metadata`, { summary: 'ants shared foxes', year: 1980 });
    await api('PUT', `/series/${series.Bees}/genres`, { genres: ['Shared', 'Another'] });
    await api('PUT', `/series/${series.Bees}/tags`, { tags: ['common', 'another'] });
    await api('PATCH', `/books/${books['Bees 2']}/metadata`, { title: 'Ants story 1', summary: 'ants' });
    await api('POST', `/books/${books['Bees 2']}/analyze`);
    await api('DELETE', `/collections/${lists.collection}/series/${series.Dogs}`);
    await api('DELETE', `/readlists/${lists.readlist}/books/${books['Dogs 1']}`);
    await api('POST', `/collections/${lists.collection}/series`, { seriesIds: [series.Dogs] });
    await api('POST', '/collections', { name: 'A hidden one', seriesIds: [series.Dogs] });
  },
};

const OTHERS: Change = {
  what: 'other users read visible books, and accounts and tags are made',
  isScanned: false,
  make: async () => {
    await api('PUT', `/books/${books['Dogs 1']}/progress`, { currentPage: 1 });
    await api('PUT', `/books/${books['Ants 1']}/progress`, { currentPage: 2 });
    await api('POST', '/want-to-read', { seriesId: series.Ants });
    const account = { username: 'new', email: 'new@example.org', password: 'Fog over 7 harbours!', role: 'reader' };
    const { id } = (await api('POST', '/users', account)).json;
    const sharingTagId = (await api('POST', '/admin/sharing-tags', { name: 'secret' })).json.id;
    await api('POST', `/series/${series.Bees}/sharing-tags`, { sharingTagId });
    await api('PUT', `/users/${id}/sharing-tags`, { sharingTagId, accessMode: 'allow' });
  },
};

const ELSEWHERE: Change = {
  what: 'another library gets a book, a name and its end',
  isScanned: false,
  make: async () => {
    writeBook(join(temp.shelf, 'second', 'Apes', 'Apes 3.cbz'), 1, 'Apes 3');
    await api('POST', `/libraries/${libraries[1]}/scan`);
    await idle();
    await api('PATCH', `/libraries/${libraries[1]}`, { name: 'Alpha', description: 'other' });
    await api('DELETE', `/libraries/${libraries[1]}`);
  },
};

const CHANGES = [ARRIVALS, DAMAGES, LOSSES, EDITS, OTHERS, ELSEWHERE];

const open = async (): Promise<void> => {
  temp = await tempApp();
  root = await temp.tokenOf('admin');
  for (const name of ['Ants', 'Cats', 'Foxes']) for (const number of [1, 2]) write(name, number, false);
  for (const name of ['Bees', 'Dogs']) for (const number of [1, 2]) write(name, number, true);
  writeBook(join(temp.shelf, 'second', 'Apes', 'Apes 1.cbz'), 1, 'Apes 1');
  for (const name of ['first', 'second']) {
    const body = { name, path: join(temp.shelf, name), scanImmediately: true };
    libraries.push((await api('POST', '/libraries', body)).json.id);
  }
  await idle();
  const all = (await api('GET', '/series?pageSize=100')).json.data;
  series = Object.fromEntries(all.map(({ title, id }: { title: string; id: string }) => [title, id]));
  const found = (await api('GET', '/books?pageSize=100')).json.data;
  books = Object.fromEntries(
    found.map(({ path, id }: { path: string; id: string }) => [path.replace(/^.*\/|\.cbz$/g, ''), id]),
  );
  lists = {
    collection: (await api('POST', '/collections', { name: 'mixed', seriesIds: Object.values(series) })).json.id,
    readlist: (await api('POST', '/readlists', { name: 'mixed', bookIds: Object.values(books) })).json.id,
  };
  await api('POST', `/collections/${lists.collection}/series`, { seriesIds: Object.values(series) });
  await api('POST', `/readlists/${lists.readlist}/books`, { bookIds: Object.values(books) });
};

/** Somebody who may see what is for teens in the first library, and has read some of it. */
const enter = async (role: Role): Promise<string> => {
  const token = await temp.tokenOf(role);
  const { user } = await temp.app.callers.byToken(token);
  await api('PATCH', `/users/${user.id}`, { libraryIds: [libraries[0]], ageLimit: { max: 15, unrated: 'allow' } });
  const own = (method: string, path: string, body?: unknown): Promise<Answer> =>
    temp.call(method, `/api/v1${path}`, { token, body });
  assert.is((await own('PUT', `/books/${books['Ants 1']}/progress`, { currentPage: 1 })).status, 200);
  await own('PUT', `/books/${books['Cats 1']}/progress`, { currentPage: 2 });
  await own('POST', '/want-to-read', { seriesId: series.Cats });
  return token;
};

/** Of what nobody here has or may see, no id is asked for. */
const NONE = 'sessions,sharing-tags,access-groups,grants,members,oidc-mappings,reader-profiles,backups,genres,tags';
const UNKNOWN = 'duplicates,tasks,users,api-keys,alternate-titles,covers,thumbnails,read-history';

const allOf = (names: string, found: readonly string[]): Ids =>
  Object.fromEntries(names.split(',').map((part) => [part, found]));

const idsOf = (): Ids => ({
  ...allOf(NONE, []),
  ...allOf(UNKNOWN, [UNKNOWN_ID]),
  libraries: [libraries[0] ?? ''],
  series: [series.Ants ?? '', series.Bees ?? ''],
  books: [books['Ants 1'] ?? '', books['Dogs 1'] ?? ''],
  handles: [books['Ants 1'] ?? ''],
  collections: [lists.collection],
  readlists: [lists.readlist],
  settings: ['application.name'],
});

const PEOPLE: readonly Role[] = ['reader', 'maintainer'];
const tokens = new Map<Role, string>();

const looks = async (): Promise<ReadonlyMap<Role, ReadonlyMap<string, string>>> => {
  const all = new Map<Role, ReadonlyMap<string, string>>();
  for (const [role, token] of tokens) all.set(role, await snapshot(token));
  return all;
};

block(
  'answers to people with restrictions',
  (check) => {
    for (const one of CHANGES) {
      const { what, isScanned, make } = one;
      check(`${what}: the same bytes`, async () => {
        temp.advance(60_000);
        if (isScanned) await scan();
        const before = await looks();
        temp.advance(60_000);
        await make();
        await (isScanned ? scan() : idle());
        const after = await looks();
        const told: string[] = [];
        for (const [role, answers] of before)
          for (const [path, answer] of answers) {
            const now = after.get(role)?.get(path) ?? '';
            const compared = (text: string): string => (isScanned ? withoutScanTimes(path, text) : text);
            if (compared(now) !== compared(answer) && !isExplained(role, path, one))
              told.push(`${role} ${path}: ${difference(compared(answer), compared(now))}`);
          }
        assert.equal(told, []);
      });
    }
    check(
      'a maintainer with restrictions sees scans, and no tasks that a scan made because it found something',
      async () => {
        const types = async (token: string | undefined): Promise<readonly string[]> => {
          const { data } = (await temp.call('GET', '/api/v1/tasks?pageSize=500', { token })).json;
          return [...new Set<string>(data.map((task: { taskType: string }) => task.taskType))];
        };
        const listener = await follow(temp, tokens.get('reader') ?? '', { path: '/tasks/stream' });
        write('Bees', 4, true);
        await scan();
        const sent = (await listener.news()).map(({ data }) => data.taskType);
        await listener.close();
        assert.ok(sent.includes('scan_library') && !sent.includes('generate_due_thumbnails'), sent.join());
        assert.ok((await types(root)).includes('generate_due_thumbnails'));
        const seenTypes = await types(tokens.get('maintainer'));
        assert.ok(
          seenTypes.includes('scan_library') && !seenTypes.includes('generate_due_thumbnails'),
          seenTypes.join(),
        );
      },
    );
    check('are looked at where there is something to see, and change with what is visible', async () => {
      const before = await looks();
      const answers = [...(before.get('reader')?.values() ?? [])].filter((answer) => answer.startsWith('[200'));
      assert.ok(answers.length > 300, String(answers.length));
      write('Cats', 3, false);
      await scan();
      const after = (await looks()).get('reader');
      const changed = [...(before.get('reader') ?? [])].filter(([path, answer]) => after?.get(path) !== answer);
      assert.ok(changed.length > 50, String(changed.length));
    });
  },
  {
    before: async () => {
      await open();
      for (const role of PEOPLE) tokens.set(role, await enter(role));
      ids = idsOf();
      await idle();
    },
    after: () => temp.close(),
    deadlineS: 300,
  },
);
