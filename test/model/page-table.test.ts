// The page table: what is packed comes back.
import type { NamedPage } from '../../core/model/jobs.js';
import { encodePageTable, METHOD, PageTable } from '../../core/model/page-table.js';
import { assert, block } from '../kit.js';

const page = (name: string, over: Partial<NamedPage> = {}): NamedPage => ({
  name,
  address: { in: 'file', offset: 0, headerBytes: 30 },
  packedSize: 10,
  size: 10,
  method: 0,
  media: 1,
  width: 100,
  height: 200,
  fault: 0,
  check: 0,
  ...over,
});

block('page table', (check) => {
  check('what was packed comes back', () => {
    const pages = [
      page('a.jpg'),
      page('ページ 2.png', {
        address: { in: 'file', offset: 2 ** 40 + 7, headerBytes: 71 },
        size: 2 ** 33,
        packedSize: 2 ** 33 - 1,
        method: 8,
        width: 65500,
        height: 70000,
        fault: 3,
        check: 171,
      }),
      page('packed alone', { address: { in: 'archive', entry: 70_000 }, method: METHOD.rar }),
      page('packed after others', { address: { in: 'archive', entry: 0 }, method: METHOD.solid }),
      page('drawn', { address: { in: 'document', page: 11, object: 0 }, method: METHOD.pdf }),
      page('a picture', { address: { in: 'document', page: 0, object: 2 ** 31 }, method: METHOD.pdfImage }),
    ];
    const table = new PageTable(encodePageTable('cbz', pages));
    assert.is(table.format, 'cbz');
    assert.is(table.pageCount, pages.length);
    assert.equal(
      table.names(),
      pages.map(({ name }) => name),
    );
    for (const [index, { name: _, ...want }] of pages.entries()) assert.equal(table.entry(index), want);
  });
  check('an index outside the table has no entry', () => {
    const table = new PageTable(encodePageTable('pdf', [page('1')]));
    assert.is(table.entry(-1), undefined);
    assert.is(table.entry(1), undefined);
  });
  check('bytes that are no table are refused', () => {
    assert.throws(() => new PageTable(Buffer.from('nonsense')));
  });
});
