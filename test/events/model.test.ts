// Random changes by random people, some with restrictions: what each follows from a list and events is always what they would list now.
import fc from 'fast-check';
import { type GuardedShelf, guardedShelf, type Shown } from '../access/guarded-shelf.js';
import {
  applyStep,
  maySee,
  noRights,
  type Rights,
  type Step,
  stepArb,
  storeNoRights,
} from '../access/random-grants.js';
import { tellStep } from '../access/told-grants.js';
import { assert, block } from '../kit.js';
import { follow, type Heard, type Listener } from './listener.js';

let shelf: GuardedShelf;

interface Row {
  readonly title: string;
  readonly seriesId: string;
}

/** What a client shows, by id. */
interface View {
  readonly series: Map<string, string>;
  readonly books: Map<string, Row>;
}

const get = async (token: string, path: string) => shelf.temp.call('GET', `/api/v1${path}`, { token });

const listed = async (token: string): Promise<View> => {
  const series = (await get(token, '/series?pageSize=100')).json.data;
  const books = (await get(token, '/books?pageSize=100')).json.data;
  return {
    series: new Map(series.map(({ id, title }: { id: string; title: string }) => [id, title])),
    books: new Map(
      books.map(({ id, title, seriesId }: Row & { id: string }): [string, Row] => [id, { title, seriesId }]),
    ),
  };
};

const plain = ({ series, books }: View): unknown => [
  [...series].sort(),
  [...books].sort(([a], [b]) => (a < b ? -1 : 1)),
];

/** As a client would: by what an event says, and by asking for the one row that it names. */
class Client {
  readonly token: string;
  readonly listener: Listener;
  view: View;
  readonly named = new Set<string>();

  constructor(token: string, listener: Listener, view: View) {
    this.token = token;
    this.listener = listener;
    this.view = view;
  }

  async catchUp(): Promise<void> {
    for (const one of await this.listener.news()) await this.#take(one);
  }

  async #take({ data }: Heard): Promise<void> {
    for (const id of [data.bookId, data.seriesId, data.entityId]) if (id !== undefined) this.named.add(id);
    const { series, books } = this.view;
    if (data.type === 'resync' || data.type === 'library_updated') this.view = await listed(this.token);
    else if (data.type === 'series_deleted') series.delete(data.seriesId);
    else if (data.type === 'book_deleted') books.delete(data.bookId);
    else if (data.type === 'series_created' || data.type === 'series_updated') {
      const { status, json } = await get(this.token, `/series/${data.seriesId}`);
      if (status === 200) series.set(data.seriesId, json.title);
    } else if (data.type === 'book_created' || data.type === 'book_updated') {
      const { status, json } = await get(this.token, `/books/${data.bookId}`);
      if (status === 200) books.set(data.bookId, { title: json.title, seriesId: json.seriesId });
    }
  }
}

type Write =
  | { readonly kind: 'rights'; readonly step: Step }
  | { readonly kind: 'series' | 'book'; readonly at: number; readonly title: string };

const writeArb: fc.Arbitrary<Write> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('rights' as const), step: stepArb }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constantFrom('series' as const, 'book' as const),
      at: fc.nat(20),
      title: fc.constantFrom('A', 'B', 'C'),
    }),
  },
);

const write = async (rights: Rights, one: Write): Promise<void> => {
  const { temp, free, rows, all } = shelf;
  if (one.kind === 'rights') {
    await tellStep(temp, free, rows, one.step);
    applyStep(rights, rows, one.step);
    return;
  }
  const { id, books } = all[one.at % all.length] as Shown;
  const path = one.kind === 'series' ? `/series/${id}` : `/books/${books[one.at % books.length]}/metadata`;
  const { status } = await temp.call('PATCH', `/api/v1${path}`, { token: free, body: { title: one.title } });
  assert.is(status, 200);
};

block(
  'what people follow',
  (check) => {
    check('is what they would list, whatever is written and whoever may see it', async () => {
      const { temp, free, limited } = shelf;
      const property = fc.asyncProperty(
        fc.array(fc.array(writeArb, { maxLength: 4 }), { maxLength: 8 }),
        async (turns) => {
          const rights = noRights();
          await storeNoRights(temp.app.db, shelf.rows);
          const clients: Client[] = [];
          const allowed = new Set<string>();
          const allow = (): void => {
            for (const one of shelf.all.filter((shown) => maySee(rights, shown)))
              for (const id of [one.id, one.libraryId, ...one.books]) allowed.add(id);
          };
          for (const token of [free, limited])
            clients.push(new Client(token, await follow(temp, token), await listed(token)));
          for (const writes of turns) {
            allowed.clear();
            allow();
            for (const one of writes) {
              await write(rights, one);
              allow();
            }
            clients[1]?.named.clear();
            for (const client of clients) await client.catchUp();
            const leaked = [...(clients[1]?.named ?? [])].filter((id) => !allowed.has(id));
            assert.equal(leaked, [], 'nobody is told of what they never saw');
            for (const { token, view } of clients) assert.equal(plain(view), plain(await listed(token)));
          }
          for (const { listener } of clients) await listener.close();
        },
      );
      await fc.assert(property, { numRuns: 30 });
    });
  },
  {
    deadlineS: 120,
    before: async () => {
      shelf = await guardedShelf();
    },
    after: async () => {
      assert.equal(shelf.temp.faults, []);
      await shelf.temp.close();
    },
  },
);
