// The check that every answer of the tests passes through: it finds what it is there to find.
import Type from 'typebox';
import { API, ROOT } from '../../http/api/surface.js';
import type { Reply } from '../../http/server/adapter.js';
import { envelope } from '../../http/surface/errors.js';
import { media } from '../../http/surface/replies.js';
import { route } from '../../http/surface/route.js';
import { buildRouter } from '../../http/surface/router.js';
import { record, text, whole } from '../../http/surface/wire.js';
import { answerCheck, faultsIn } from '../described.js';
import { assert, block, type Check, thrownBy } from '../kit.js';

const Thing = record('Thing', {
  name: text('a'),
  part: record('Part', { count: whole(1) }),
  note: Type.Optional(text('b')),
});

const row = (path: string, reply: Parameters<typeof route>[0]['reply']) =>
  route({ id: path, method: 'GET', path, access: 'public', reply, about: 'For this test.', run: (): Reply => nothing });

const nothing: Reply = { status: 204, headers: [], body: { kind: 'none' } };

const check = answerCheck(
  buildRouter([
    {
      ...API,
      rows: [row('/thing', { 200: Thing }), row('/image', { 200: media('image/*') }), row('/nothing', { 204: null })],
    },
    ROOT,
  ]),
);

interface Sent {
  readonly status?: number;
  readonly type?: string;
  readonly body: unknown;
}

const sentence = async (path: string, { status = 200, type = 'application/json', body }: Sent): Promise<string> => {
  const bytes = Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
  const thrown = await thrownBy(() => check('GET', `/api/v1${path}`, { status, type, bytes }));
  return (thrown as Error).message;
};

const good = { name: 'x', part: { count: 2 } };
const AT = { path: '/', base: () => '', now: () => 0, isOpened: () => false };
const refused = (word: string): string => envelope({ status: 0, word, message: 'No.', details: null }, AT).text;

const bad = (on: Check): void => {
  on('a field that is missing, of another type, or not described, at any depth', async () => {
    assert.match(await sentence('/thing', { body: { part: { count: 1 } } }), /must have required properties name/);
    assert.match(await sentence('/thing', { body: { ...good, name: null } }), /\/name must be string/);
    assert.match(await sentence('/thing', { body: { ...good, note: null } }), /\/note must be string/);
    assert.match(await sentence('/thing', { body: { ...good, secret: 1 } }), /must not have additional properties/);
    assert.match(await sentence('/thing', { body: { ...good, part: { count: 1, more: 2 } } }), /additional properties/);
  });
  on('a status that the row does not name, and an error that it cannot give', async () => {
    assert.match(await sentence('/thing', { status: 201, body: good }), /not as described/);
    assert.match(await sentence('/thing', { status: 409, body: refused('Conflict') }), /does not name: Conflict/);
    assert.match(await sentence('/thing', { status: 404, body: refused('Internal') }), /must be equal to one of/);
    assert.match(await sentence('/thing', { status: 404, body: refused('InternalServerError') }), /does not name/);
    assert.match(await sentence('/none', { status: 404, body: { error: 'NotFound' } }), /message, details/);
  });
  on('another type of content, and a body where there is none', async () => {
    assert.match(await sentence('/image', { type: 'text/html', body: '<p>' }), /is of the type text\/html/);
    assert.match(await sentence('/thing', { type: 'text/plain', body: 'x' }), /is of the type text\/plain/);
    assert.match(await sentence('/nothing', { status: 204, body: 'x' }), /has a body/);
  });
};

block('answers held against their description', (on) => {
  bad(on);
  on('what is described passes', () => {
    const json = 'application/json; charset=utf-8';
    const bytes = Buffer.from(JSON.stringify(good));
    check('GET', '/api/v1/thing', { status: 200, type: json, bytes });
    check('GET', '/api/v1/thing', { status: 500, type: json, bytes: Buffer.from(refused('InternalServerError')) });
    check('GET', '/api/v1/image', { status: 200, type: 'image/webp', bytes });
    check('GET', '/api/v1/nothing', { status: 204, type: undefined, bytes: Buffer.alloc(0) });
    assert.equal(faultsIn(Thing, { ...good, note: 'n' }), []);
  });
  on('every record has one name, and every name one record', () => {
    const found = new Map<string, string>();
    const walk = (schema: unknown): void => {
      if (typeof schema !== 'object' || schema === null) return;
      if ('component' in schema) {
        const [name, text] = [String(schema.component), JSON.stringify(schema)];
        assert.is(found.get(name) ?? text, text, name);
        found.set(name, text);
      }
      Object.values(schema).forEach(walk);
    };
    walk([...API.rows, ...ROOT.rows].map(({ reply }) => reply));
    assert.ok(found.size > 40, String(found.size));
  });
});
