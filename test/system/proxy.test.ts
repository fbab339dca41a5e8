// Behind a reverse proxy as its owner would set it up: pages, ranges and conditions pass unchanged, on kept connections.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { assert, block } from '../kit.js';
import { BACK_ENDS } from './back-end.js';
import { checkWithNginx } from './nginx.js';
import { withProxy } from './proxied.js';

block('behind a proxy', (check) => {
  for (const { name } of BACK_ENDS) {
    checkWithNginx(check, `pages, ranges and conditions pass nginx unchanged (${name})`, () =>
      withProxy(name, async ({ shelf, ask }) => {
        const { data } = (await (await ask('/books')).json()) as { data: { id: string; pageCount: number }[] };
        const book = data[0];
        assert.is(book?.pageCount, 6);
        for (let page = 1; page <= 6; page += 1) {
          const found = await ask(`/books/${book?.id}/pages/${page}`);
          assert.is(found.status, 200);
          const again = await ask(`/books/${book?.id}/pages/${page}`, {
            'if-none-match': found.headers.get('etag') ?? '',
          });
          assert.is(again.status, 304);
        }
        const whole = readFileSync(join(shelf, 'Corpus', 'six-pages.cbz'));
        const part = await ask(`/books/${book?.id}/file`, { range: 'bytes=100-199' });
        assert.is(part.status, 206);
        assert.ok(Buffer.from(await part.arrayBuffer()).equals(whole.subarray(100, 200)));
        const file = await ask(`/books/${book?.id}/file`);
        assert.ok(Buffer.from(await file.arrayBuffer()).equals(whole));
        assert.is((await ask('/nothing/here')).status, 404);
      }),
    );
  }
});
