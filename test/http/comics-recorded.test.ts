// Answers recorded from the server whose API reader apps were made for, against the schemas of our rows: every field and its type, and what
// is null; refusals, and the rows and media types of its catalogues and of e-reader sync. A difference that is not on the list fails, and so does a line of the list that is no difference any more.
import { readFileSync } from 'node:fs';
import type { News } from '../../core/events/news.js';
import { fixture } from '../../fixtures/index.js';
import { ROOT } from '../../http/api/surface.js';
import { comicsAt } from '../../http/comics/surface.js';
import { eventOf, frameOf, queueOf } from '../../http/comics/views/events.js';
import { opdsSurfaces } from '../../http/opds/surfaces.js';
import { buildRouter } from '../../http/surface/router.js';
import { syncSurface } from '../../http/sync/surface.js';
import { assert, block } from '../kit.js';
import { differencesOf, recordedIn, rowOf } from './recorded.js';

const RECORDED = recordedIn('recorded-comics.jsonl');
const LIST = readFileSync(fixture('spec/recorded-comics-differences.txt'), 'utf8')
  .split('\n')
  .filter((line) => line !== '' && !/^(?:#|why )/.test(line));
const ID = '01890000-0000-7000-8000-000000000000';
const NEWS: readonly News[] = [
  { type: 'book_updated', bookId: ID, seriesId: ID, libraryId: ID, at: 0, by: null },
  { type: 'series_updated', seriesId: ID, libraryId: ID, at: 0, by: null },
  { type: 'cover_updated', entityType: 'book', entityId: ID, seriesId: ID, libraryId: ID, at: 0, by: null },
  {
    type: 'reading_updated',
    entityType: 'book',
    readId: ID,
    seriesId: ID,
    onlyUserKey: 1,
    userId: ID,
    at: 0,
    readTo: null,
    areBooksNamed: true,
  },
];

/** At the root, as on a port of its own. */
const router = buildRouter([
  comicsAt('/komga'),
  { ...ROOT, ...comicsAt('') },
  ...opdsSurfaces({ recordsProgress: true }),
  syncSurface({ registration: false }),
]);

block('recorded answers of the comic-server API', (check) => {
  check('every recorded answer is of one of our rows', () => {
    assert.ok(RECORDED.length > 160, String(RECORDED.length));
    assert.equal(
      RECORDED.filter((one) => rowOf(one, router) === undefined).map(({ request }) => `${request}: no row`),
      LIST.filter((line) => line.endsWith(': no row')),
    );
  });
  check('events have the name, the layout and the fields that were recorded', () => {
    const stream = RECORDED.find(({ request }) => request === 'GET /sse/v1/events')?.answer;
    const frames = Array.isArray(stream) ? stream.map(String) : [];
    const ours = new Map([...NEWS.flatMap(eventOf), queueOf([])].map((event) => [event.name, event]));
    const shapeOf = (data: object) => Object.entries(data).map(([field, value]) => [field, typeof value]);
    for (const frame of frames) {
      const name = /^event:(\w+)/.exec(frame)?.[1] ?? '';
      const event = ours.get(name);
      if (event === undefined) throw new Error(`no event ${name}`);
      assert.is(frame.replace(/(?<=\ndata:).*$/s, ''), frameOf(event).replace(/(?<=\ndata:).*$/s, ''), name);
      assert.equal(shapeOf(event.data), shapeOf(JSON.parse(frame.split('\ndata:')[1] ?? '')), name);
    }
    assert.is(new Set(frames.map((frame) => frame.split('\n', 1)[0])).size, 5);
  });
  check('every difference is meant, with a reason, and every meant one is there', () => {
    const found = new Set(RECORDED.flatMap((one) => differencesOf(one, router)));
    assert.equal([...found].filter((one) => !LIST.includes(one)).sort(), [], 'not on the list');
    assert.equal(
      LIST.filter((one) => !found.has(one)),
      [],
      'on the list, but no difference',
    );
    assert.is(new Set(LIST).size, LIST.length);
  });
});
