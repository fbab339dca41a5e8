// What series and books can be filtered by, as the newer lists of the comic-server API name it: in pages, found by a part of the name,
// limited to a place, and only as far as the caller sees something that has it.
import { join } from 'node:path';
import { uuidOfHex } from '../../core/model/ids.js';
import { openPeople, type People, type Person } from '../access/people.js';
import { type Answer, until, writeBook } from '../app.js';
import { assert, block, type Check } from '../kit.js';

let people: People;
let ann: Person;
const libraries = new Map<string, string>();

const ask = (path: string, { token }: Pick<Person, 'token'> = people.admin): Promise<Answer> =>
  people.temp.call('GET', `/komga/api${path}`, { token });

const found = async (path: string, who?: Person): Promise<readonly unknown[]> => {
  const { status, json, bytes } = await ask(path, who);
  assert.is(status, 200, `${path}: ${bytes.toString().slice(0, 300)}`);
  return json.content;
};

const info = (text: string) => [{ name: 'ComicInfo.xml', bytes: Buffer.from(`<ComicInfo>${text}</ComicInfo>`) }];

const FACTS = {
  fog: '<Genre>Noir, Drama</Genre><Tags>fog, harbour</Tags><Publisher>Aal House</Publisher><LanguageISO>de</LanguageISO><Year>1999</Year>',
  sun: '<Genre>Comedy</Genre><Tags>sun</Tags><Publisher>Zebra</Publisher><LanguageISO>en</LanguageISO><Year>2011</Year>',
} as const;

const stock = async (): Promise<void> => {
  people = await openPeople();
  const { temp, admin } = people;
  const at = (...parts: string[]) => join(temp.shelf, ...parts);
  writeBook(at('one', 'Fog', 'Fog 1.cbz'), 1, 'f', info(`${FACTS.fog}<AgeRating>Teen</AgeRating>`));
  writeBook(at('two', 'Sun', 'Sun 1.cbz'), 1, 's', info(`${FACTS.sun}<AgeRating>Everyone</AgeRating>`));
  writeBook(at('two', 'Bare', 'Bare 1.cbz'), 1, 'b');
  for (const name of ['one', 'two']) {
    const body = { name, path: at(name), scanImmediately: true };
    const { json } = await people.ask(admin.token, 'POST', '/libraries', { body });
    libraries.set(name, json.id.replaceAll('-', ''));
  }
  await until('all is analysed', async () => {
    const { data } = (await people.ask(admin.token, 'GET', '/books')).json;
    return (
      temp.app.scans.active().length === 0 &&
      data.length === 3 &&
      data.every((one: { analyzed: boolean }) => one.analyzed)
    );
  });
  const [book] = (await ask('/v1/books?search=Fog')).json.content;
  const change = { tags: ['own'], tagsLock: true };
  const { status } = await temp.call('PATCH', `/komga/api/v1/books/${book.id}/metadata`, {
    token: admin.token,
    body: change,
  });
  assert.is(status, 204);
  ann = await people.join('ann');
};

const ALL: Readonly<Record<string, readonly unknown[]>> = {
  genres: ['Comedy', 'Drama', 'Noir'],
  publishers: ['Aal House', 'Zebra'],
  languages: ['de', 'en'],
  'series/release-years': ['2011', '1999'],
  'sharing-labels': [],
};

const references = (check: Check): void => {
  check('each list has what is there, in the shape of a page', async () => {
    for (const [path, values] of Object.entries(ALL)) {
      assert.equal(await found(`/v2/${path}`), values, path);
      const { json } = await ask(`/v2/${path}?unpaged=true`);
      assert.equal(
        [json.content, json.totalElements, json.last, json.pageable.paged],
        [values, values.length, true, true],
      );
    }
    const ages = await found('/v2/age-ratings');
    assert.ok(ages.length === 2 && ages.every(Number.isInteger), JSON.stringify(ages));
    assert.equal(
      (await ask('/v1/age-ratings')).json.filter((age: string) => age !== 'None'),
      ages.map(String),
    );
  });
  check('pages follow each other, and what is behind the last is empty', async () => {
    const first = (await ask('/v2/genres?size=2')).json;
    assert.equal(
      [first.content, first.totalElements, first.totalPages, first.last],
      [['Comedy', 'Drama'], 3, 2, false],
    );
    const second = (await ask('/v2/genres?size=2&page=1')).json;
    assert.equal([second.content, second.number, second.first, second.last], [['Noir'], 1, false, true]);
    assert.equal(await found('/v2/genres?size=2&page=9'), []);
  });
  check('a part of the name finds a value, in any case', async () => {
    assert.equal(await found('/v2/genres?search=OM'), ['Comedy']);
    assert.equal(await found('/v2/publishers?search=house'), ['Aal House']);
    assert.equal(await found('/v2/languages?search=d'), ['de']);
    assert.equal(await found('/v2/series/release-years?search=199'), ['1999']);
    assert.equal(await found('/v2/genres?search=nothing'), []);
    assert.equal(await found('/v2/publishers?search=house%20aal'), ['Aal House'], 'words in any order');
    assert.equal(await found('/v2/publishers?search=aalhouse'), ['Aal House'], 'words in one piece');
    assert.equal(await found('/v2/genres?search=com-edy'), ['Comedy'], 'with a sign inside the word');
    assert.equal(await found('/v2/genres?search=-'), ALL.genres, 'no words');
  });
  check('tags are those of series, of books, or of both', async () => {
    assert.equal(await found('/v2/tags?include=BOOK'), ['own', 'sun']);
    const both = await found('/v2/tags');
    assert.equal(await found('/v2/tags?include=BOTH'), both);
    assert.ok(both.includes('own') && both.includes('sun'));
    const ofSeries = await found('/v2/tags?include=SERIES');
    assert.equal(ofSeries, (await ask('/v1/tags/series')).json);
    assert.is((await ask('/v2/tags?include=NEITHER')).status, 400);
  });
  check('a list is limited to libraries, a series or a collection', async () => {
    const [one, two] = [libraries.get('one'), libraries.get('two')];
    assert.equal(await found(`/v2/genres?library_id=${one}`), ['Drama', 'Noir']);
    assert.equal(await found(`/v2/publishers?library_id=${two}`), ['Zebra']);
    assert.equal(await found(`/v2/languages?library_id=${one}&library_id=${two}`), ['de', 'en']);
    assert.equal(await found(`/v2/series/release-years?library_id=${two}`), ['2011']);
    const [sun] = (await ask('/v1/series?search=Sun')).json.content;
    assert.equal(await found(`/v2/tags?series_id=${sun.id}`), ['sun']);
    const body = { name: 'Suns', seriesIds: [sun.id] };
    const { token } = people.admin;
    const { json } = await people.temp.call('POST', '/komga/api/v1/collections', { token, body });
    assert.equal(await found(`/v2/genres?collection_id=${json.id}`), ['Comedy']);
    assert.is((await ask(`/v2/genres?series_id=${'0'.repeat(32)}`)).status, 404);
  });
  check('sharing tags are listed for administrators, by the series that carry them', async () => {
    const { token } = people.admin;
    const tag = await people.ask(token, 'POST', '/admin/sharing-tags', { body: { name: 'family' } });
    assert.is(tag.status, 201);
    assert.equal(await found('/v2/sharing-labels'), ['family']);
    const [fog] = (await ask('/v1/series?search=Fog')).json.content;
    const path = `/series/${uuidOfHex(fog.id)}/sharing-tags`;
    assert.ok((await people.ask(token, 'POST', path, { body: { sharingTagId: tag.json.id } })).status < 300);
    assert.equal(await found(`/v2/sharing-labels?library_id=${libraries.get('one')}`), ['family']);
    assert.equal(await found(`/v2/sharing-labels?library_id=${libraries.get('two')}`), []);
    assert.equal((await ask(`/v1/sharing-labels?library_id=${libraries.get('two')}`)).json, []);
    assert.equal(await found('/v2/sharing-labels', ann), []);
  });
  check('whoever does not see a library is told of nothing that only it has', async () => {
    const { token } = people.admin;
    const [one] = [uuidOfHex(libraries.get('one') ?? '')];
    const body = { sharedLibraries: { all: false, libraryIds: [one] } };
    const { status } = await people.temp.call('PATCH', `/komga/api/v2/users/${ann.id}`, { token, body });
    assert.is(status, 204);
    assert.equal(await found('/v2/genres', ann), ['Drama', 'Noir']);
    assert.equal(await found('/v2/publishers', ann), ['Aal House']);
    assert.equal(await found('/v2/languages', ann), ['de']);
    assert.equal(await found('/v2/series/release-years', ann), ['1999']);
    assert.is((await found('/v2/age-ratings', ann)).length, 1);
    assert.ok(!(await found('/v2/tags', ann)).includes('sun'));
    assert.equal(await found(`/v2/genres?library_id=${libraries.get('two')}`, ann), []);
  });
};

block('values of filters in the comic-server API', references, {
  before: stock,
  after: () => people.temp.close(),
  deadlineS: 120,
});
