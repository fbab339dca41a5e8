// Pages that lack something: images on other servers, one of several images missing, entries with odd extensions that cannot be read.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { writeZip } from '../../bench/zip-writer.js';
import { PAGE_FAULTS, PageTable } from '../../core/model/page-table.js';
import { assert, block } from '../kit.js';
import { type Analysis, analysed } from './analysed.js';
import { containerFor, IMAGE, madeOf } from './made-epub.js';

let folder = '';

const bookOf = (bodies: readonly string[], isFixed = true): Promise<Analysis> => {
  const ids = bodies.map((_, index) => `p${index + 1}`);
  const items = ids.map((id) => `<item id="${id}" href="${id}.xhtml" media-type="application/xhtml+xml"/>`).join('');
  const layout = isFixed ? '<meta property="rendition:layout">pre-paginated</meta>' : '';
  return analysed(
    madeOf(folder, {
      mimetype: 'application/epub+zip',
      'META-INF/container.xml': containerFor('p.opf'),
      'p.opf': `<package><metadata><title>T</title>${layout}</metadata><manifest>${items}
        <item id="i" href="1.png" media-type="image/png"/></manifest>
        <spine>${ids.map((id) => `<itemref idref="${id}"/>`).join('')}</spine></package>`,
      '1.png': IMAGE,
      ...Object.fromEntries(ids.map((id, at) => [`${id}.xhtml`, `<html><body>${bodies[at]}</body></html>`])),
    }),
  );
};

const faultsOf = ({ pageTable }: Analysis): readonly (string | null)[] => {
  const table = new PageTable(pageTable ?? new Uint8Array());
  return Array.from({ length: table.pageCount }, (_, at) => PAGE_FAULTS[table.entry(at)?.fault ?? 0] ?? null);
};
const remarksOf = ({ notes, fault }: Analysis): string => {
  assert.is(fault, null);
  return notes.map(({ message }) => message).join(' ');
};

const OWN = '<img src="1.png"/>';
const REMOTE = '<img src="https://images.example/2.png"/>';

block(
  'incomplete pages',
  (check) => {
    check('images on other servers and missing ones are named by their pages', async () => {
      const found = await bookOf([OWN, REMOTE, `${OWN}<img src="none.png"/>`, `${OWN}${REMOTE}`, OWN]);
      assert.is(found.pageCount, 5);
      assert.equal(
        faultsOf(found).map((reason) => reason !== null),
        [false, true, false, false, false],
      );
      const remarks = remarksOf(found);
      assert.match(remarks, /Some images of these pages are not in the file: 3\./);
      assert.match(remarks, /on other servers and are not loaded: 2, 4\. Create the book again/);
      assert.match(remarks, /1 of 5 pages cannot be shown/);
    });
    check('as SVG, as an object and without a declaration of the layout', async () => {
      const svg = '<svg><image xlink:href="http://images.example/a.jpg"/></svg>';
      const object = '<object data="HTTPS://images.example/b.jpg"></object>';
      for (const body of [svg, object, REMOTE])
        assert.match(remarksOf(await bookOf([OWN, body, OWN, OWN], false)), /are not loaded: 2\./, body);
    });
    check('links, films and pages without images have no remark', async () => {
      const link = `${OWN}<a href="https://images.example/2.png">x</a><object data="https://x.example/film.mp4"></object>`;
      const found = await bookOf([OWN, link, '', OWN, OWN]);
      assert.equal([found.notes, found.pageCount], [[], 5]);
    });
    check('an address on the disk of whoever made the book is found by the end of its path', async () => {
      const addresses = [
        'file:///C:/Work/1.png',
        'C:\\Work\\1.png',
        'file:1.png',
        'FILE://host/share/%31.png',
        'res:///1.png?x',
      ];
      const found = await bookOf(addresses.map((address) => `<img src="${address}"/>`));
      assert.equal([found.pageCount, faultsOf(found), found.notes], [5, [null, null, null, null, null], []]);
      const layered = await analysed(
        madeOf(folder, {
          mimetype: 'application/epub+zip',
          'META-INF/container.xml': containerFor('OPS/p.opf'),
          'OPS/p.opf': `<package><metadata/><manifest><item id="p" href="text/p.xhtml" media-type="application/xhtml+xml"/>
            <item id="q" href="text/q.xhtml" media-type="application/xhtml+xml"/></manifest>
            <spine><itemref idref="p"/><itemref idref="q"/></spine></package>`,
          'OPS/text/p.xhtml': '<html><body><img src="file:///D:/My%20Book/OPS/i/1.png"/></body></html>',
          'OPS/text/q.xhtml': '<html><body style="background:url(file:///D:/i/2.png)"></body></html>',
          'OPS/i/1.png': IMAGE,
          'OPS/i/2.png': IMAGE,
        }),
      );
      assert.equal([layered.pageCount, faultsOf(layered)], [2, [null, null]]);
    });
    check('what is neither in the file nor on a server is missing, and is said to be', async () => {
      const addresses = [
        'file:///C:/none.png',
        'D:\\none.png',
        'blob:https://reader.example/1f',
        'kindle:embed:0001?mime=image/jpg',
        'a:',
        'cid:',
      ];
      const found = await bookOf([OWN, ...addresses.map((address) => `<img src="${address}"/>`)]);
      assert.is(found.pageCount, 7);
      assert.equal(
        faultsOf(found).map((reason) => reason !== null),
        [false, true, true, true, true, true, true],
      );
      assert.match(remarksOf(found), /6 of 7 pages cannot be shown/);
      const all = await bookOf(addresses.map((address) => `<img src="${address}"/>`));
      assert.is(all.pageCount, 6);
      assert.ok(faultsOf(all).every((reason) => reason !== null));
    });
    check('images that a script would load, in frames and in buttons are shown', async () => {
      const placeholder = 'data:image/gif;base64,R0lGODlhAQABAAAAACw=';
      const bodies = [
        '<img src="" data-src="1.png"/>',
        `<img class="lazy" src="${placeholder}" data-original="1.png">`,
        '<img src="about:blank" data-lazy-src=1.png>',
        '<iframe src="1.png"></iframe>',
        '<input type="image" src="1.png"/>',
      ];
      const found = await bookOf(bodies);
      assert.equal([found.pageCount, faultsOf(found), found.notes], [5, [null, null, null, null, null], []]);
    });
    check('folders in entities of the document, and backgrounds of HTML 4', async () => {
      const declared = '<!DOCTYPE html [<!ENTITY dir "."><!ENTITY dir "wrong"><!ENTITY name \'1\'>]>';
      const found = await bookOf([
        `${declared}<img src="&dir;/1.png"/>`,
        `${declared}<img src="&name;.png"/>`,
        '<table background="1.png"><tr><td>&#160;</td></tr></table>',
      ]);
      assert.equal([found.pageCount, faultsOf(found), found.notes], [3, [null, null, null], []]);
      const body = await analysed(
        madeOf(folder, {
          mimetype: 'application/epub+zip',
          'META-INF/container.xml': containerFor('p.opf'),
          'p.opf': `<package><metadata/><manifest><item id="p" href="p.xhtml" media-type="application/xhtml+xml"/></manifest>
            <spine><itemref idref="p"/></spine></package>`,
          'p.xhtml': '<html><body background="1.png"></body></html>',
          '1.png': IMAGE,
        }),
      );
      assert.equal([body.pageCount, faultsOf(body)], [1, [null]]);
    });
    check('entities do not make a document grow without bound', async () => {
      const declared = `<!DOCTYPE html [<!ENTITY a "${'x'.repeat(500)}">]>`;
      const found = await bookOf([`${declared}${OWN}<i>${'&a;'.repeat(200_000)}</i>`, OWN]);
      assert.is(found.fault, null);
    });
    check('a package document that is cut off inside a tag is used as far as it goes', async () => {
      const whole = `<package><metadata><title>Cut</title></metadata><manifest>
        <item id="a" href="a.xhtml" media-type="application/xhtml+xml"/><item id="b" href="b.xhtml" media-type="application/xhtml+xml"/>
        <item id="i" href="1.png" media-type="image/png"/></manifest><spine><itemref idref="a"/><itemref idref="b"/></spine></package>`;
      for (const end of [
        '<itemref idref="b"/></sp',
        '<itemref idref="b"',
        '<itemref',
        '<i',
        '<itemref idref="b"/></',
      ]) {
        const cut = whole.slice(0, whole.indexOf('<itemref idref="b"')) + end;
        const page = `<html><body>${OWN}</body></html>`;
        const found = await analysed(
          madeOf(folder, {
            mimetype: 'application/epub+zip',
            'META-INF/container.xml': containerFor('p.opf'),
            'p.opf': cut,
            'a.xhtml': page,
            'b.xhtml': page,
            '1.png': IMAGE,
          }),
        );
        const isWhole = end.includes('/>');
        assert.equal([found.fault, found.pageCount, found.metadata?.book.title], [null, isWhole ? 2 : 1, 'Cut'], end);
        assert.match(remarksOf(found), /is cut off/, end);
      }
    });
    check('an image in a script is none, and one that a script would load comes before its placeholder', async () => {
      const script = '<script>var t = "<img src=\'none.png\'/>";</script><script src="x.js"/>';
      const shown = await bookOf([`${script}${OWN}`, `<script><![CDATA[ "<img src='none.png'>" ]]></script>${OWN}`]);
      assert.equal([shown.pageCount, faultsOf(shown), shown.notes], [2, [null, null], []]);
      const unclosed = await bookOf([`<script>${OWN}`, OWN]);
      assert.is(unclosed.pageCount, 2);
      const lazy = await bookOf(['<img src="none.gif" data-src="1.png"/>', OWN]);
      assert.equal([faultsOf(lazy), lazy.notes], [[null, null], []]);
    });
    check('a text with an image of another server stays a text', async () => {
      const found = await bookOf([`<p>${'Words of a story. '.repeat(50)}</p>${REMOTE}`, '<p>More words.</p>'], false);
      assert.equal([found.epubKind === 'images', found.notes], [false, []]);
    });
    check('entries with odd extensions that cannot be read are listed with their faults', async () => {
      const path = join(folder, 'book.cbz');
      const archive = writeZip([
        { name: '01.png', bytes: IMAGE },
        { name: '02.png_large', bytes: IMAGE },
        { name: '03.png_large', bytes: IMAGE, isDeflated: true },
      ]);
      const flagged = (name: string): void => {
        for (let at = archive.indexOf(name); at >= 0; at = archive.indexOf(name, at + 1)) {
          const isCentral = archive.readUInt32LE(Math.max(0, at - 46)) === 0x02014b50;
          const flags = at - (isCentral ? 38 : 24);
          archive.writeUInt16LE(archive.readUInt16LE(flags) | 1, flags);
        }
      };
      flagged('02.png_large');
      const data = archive.indexOf('03.png_large') + '03.png_large'.length;
      archive.fill(0xff, data, data + 40);
      writeFileSync(path, archive);
      const found = await analysed(path);
      const faults = faultsOf(found);
      assert.equal([faults.length, faults[0]], [3, null]);
      assert.ok(faults[1] !== null && faults[2] !== null && faults[1] !== faults[2], faults.join());
      assert.match(remarksOf(found), /2 of 3 pages cannot be shown/);
      assert.not.match(remarksOf(found), /Images left out/);
    });
  },
  {
    before: () => {
      folder = mkdtempSync(join(tmpdir(), 'longbox-incomplete-'));
    },
    after: () => rmSync(folder, { recursive: true }),
  },
);
