// Aidoku: Basic, lists of filters of which none may fail, nested conditions, dates without a fraction.
import { assert, block, type Check } from '../kit.js';
import { type App, type AppServer, basicOf, PERSON, startAppServer, VOLUMES } from './app-server.js';
import { id as idText, seriesTracking, timestamp } from './comic-shapes.js';
import { filledText, int, listOf, number, oneOf, type Reader, record, text, yesNo } from './strict.js';

let server: AppServer;
let app: App;

const wrapped = (content: Reader): Reader => record({ content: listOf(content), totalPages: int });
const author = record({ name: text, role: text });
const series = record({
  id: idText,
  metadata: record({
    title: text,
    summary: text,
    status: oneOf('ENDED', 'ONGOING', 'ABANDONED', 'HIATUS'),
    readingDirection: oneOf('', 'LEFT_TO_RIGHT', 'RIGHT_TO_LEFT', 'VERTICAL', 'WEBTOON'),
    genres: listOf(text),
    tags: listOf(text),
  }),
  booksMetadata: record({ authors: listOf(author), summary: text }),
});
const book = record({
  id: idText,
  seriesId: idText,
  created: timestamp,
  media: record({ mediaProfile: text, epubDivinaCompatible: yesNo, pagesCount: int }),
  metadata: record({ title: text, number: text, numberSort: number, authors: listOf(author), tags: listOf(text) }),
});

const listed = (body: unknown, query = 'page=0&size=20') =>
  app.read(`/api/v1/series/list?${query}`, wrapped(series), { body });

const titles = ({
  content,
}: {
  readonly content: readonly { readonly metadata: { readonly title: string } }[];
}): readonly string[] => content.map(({ metadata }) => metadata.title).sort();

const browse = (check: Check): void => {
  check('the login answers with the name that was typed', async () => {
    for (const typed of [PERSON.username, PERSON.email]) {
      const typing = app.with({ Authorization: basicOf(typed, PERSON.password) });
      assert.is((await typing.read('/api/v2/users/me', record({ email: filledText }))).email, typed);
    }
  });
  check('every list of filters is there', async () => {
    for (const path of [
      'genres',
      'tags',
      'publishers',
      'languages',
      'age-ratings',
      'series/release-dates',
      'sharing-labels',
    ])
      await app.read(`/api/v1/${path}`, listOf(text));
    await app.read('/api/v2/authors?search=ann&role=writer&page=0', wrapped(author));
  });
  check('home', async () => {
    await app.read('/api/v1/books/list?page=0', wrapped(book), {
      body: { condition: { readStatus: { operator: 'is', value: 'IN_PROGRESS' } } },
    });
    await app.read('/api/v1/books/ondeck?sort=createdDate,desc', wrapped(book));
    await app.read('/api/v1/series/new?oneshot=false&oneshot=false', wrapped(series));
    await app.read('/api/v1/series/updated?oneshot=false', wrapped(series));
  });
};

const conditions = (check: Check): void => {
  check('"in any library" is a library that is not the empty one', async () =>
    assert.is(
      titles(await listed({ condition: { allOf: [{ libraryId: { operator: 'isNot', value: '' } }] } })).length,
      2,
    ),
  );
  check('dates in nested lists: after, before, unknown', async () => {
    const between = (after: string, before: string) => ({
      condition: {
        allOf: [
          { anyOf: [{ releaseDate: { operator: 'after', dateTime: after } }] },
          { anyOf: [{ releaseDate: { operator: 'before', dateTime: before } }] },
        ],
      },
    });
    assert.equal(titles(await listed(between('2023-01-01T00:00:00Z', '2025-01-01T00:00:00Z'))), ['Zot']);
    assert.equal(titles(await listed(between('2025-01-01T00:00:00Z', '2026-01-01T00:00:00Z'))), []);
    const unknown = await listed({ condition: { anyOf: [{ allOf: [{ releaseDate: { operator: 'isNull' } }] }] } });
    assert.not.ok(titles(unknown).includes('Zot'));
  });
  check('a date that is none is refused, and says where', async () => {
    const answer = await app.send('POST', '/api/v1/series/list', {
      body: { condition: { releaseDate: { operator: 'after', dateTime: 'soon' } } },
    });
    assert.is(answer.status, 400);
    assert.match(answer.json.message, /dateTime/);
  });
};

const chapters = async () => {
  const [{ id }] = (await listed({ fullTextSearch: 'zot' })).content;
  const body = { condition: { allOf: [{ seriesId: { operator: 'is', value: id } }] } };
  const path = '/api/v1/books/list?unpaged=true&sort=metadata.numberSort,desc';
  return { id, content: (await app.read(path, wrapped(book), { body })).content };
};

const read = (check: Check): void => {
  check('chapters from the newest to the first, their pages and covers', async () => {
    const { content } = await chapters();
    assert.equal(
      content.map(({ metadata }: { metadata: { numberSort: number } }) => metadata.numberSort),
      Array.from({ length: VOLUMES }, (_, index) => VOLUMES - index),
    );
    await app.read(`/api/v1/books/${content[0].id}/pages`, listOf(record({ number: int, mediaType: text })));
    await app.image(`/api/v1/books/${content[0].id}/pages/1`);
    await app.image(`/api/v1/books/${content[0].id}/thumbnail`);
  });
  check('an image-only EPUB says so, and has pages; one of text does not', async () => {
    const of = async (words: string) =>
      (await app.read('/api/v1/books/list?unpaged=true', wrapped(book), { body: { fullTextSearch: words } }))
        .content[0];
    const [comic, novel] = [await of('固定レイアウト'), await of('Incomplete Theft')];
    assert.equal([comic.media.mediaProfile, comic.media.epubDivinaCompatible], ['EPUB', true]);
    assert.equal([novel.media.mediaProfile, novel.media.epubDivinaCompatible], ['EPUB', false]);
    await app.image(`/api/v1/books/${comic.id}/pages/1`);
  });
  check('its tracker', async () => {
    const { id } = await chapters();
    const path = `/api/v2/series/${id}/read-progress/tachiyomi`;
    await app.change('PUT', path, { lastBookNumberSortRead: 2 });
    assert.is((await app.read(path, seriesTracking)).lastReadContinuousNumberSort, 2);
  });
};

block(
  'Aidoku',
  (check) => {
    browse(check);
    conditions(check);
    read(check);
  },
  {
    before: async () => {
      server = await startAppServer();
      app = server.app('/komga', {
        Authorization: basicOf(PERSON.username, PERSON.password),
        Accept: 'application/json',
        'User-Agent': 'Aidoku/0.7',
      });
    },
    after: () => server.stop(),
    deadlineS: 120,
  },
);
