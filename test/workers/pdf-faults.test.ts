// Errors about damaged PDF documents say what is wrong and what to do, without the words of the PDF engine.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fixture } from '../../fixtures/index.js';
import { damagedPage, damagedPdf } from '../../workers/formats/pdf-faults.js';
import { assert, block } from '../kit.js';
import { analysed } from './analysed.js';

const ADVICE = 'Copy or download it again; if that does not help, open it in a PDF program and save it as a new file.';

const faultIn = async (bytes: Uint8Array) => {
  const folder = mkdtempSync(join(tmpdir(), 'longbox-pdf-'));
  try {
    const path = join(folder, 'book.pdf');
    writeFileSync(path, bytes);
    return (await analysed(path)).fault;
  } finally {
    rmSync(folder, { recursive: true });
  }
};

block('errors of the PDF engine', (check) => {
  const SENTENCES: readonly (readonly [words: string, what: string])[] = [
    ['something that nobody has seen', 'parts of it are not valid PDF'],
    ['', 'parts of it are not valid PDF'],
    ['invalid key in dict', 'parts of it are not valid PDF'],
    ['memory access out of bounds', 'parts of it are not valid PDF'],
    ['cannot find startxref', 'the table of its objects is missing or damaged'],
    ['no objects found', 'the table of its objects is missing or damaged'],
    ['array not closed before end of file', 'it ends too early'],
    ['truncated object', 'it ends too early'],
    ['Invalid number of pages', 'its list of pages is damaged'],
    ['cycle in page tree', 'its list of pages is damaged'],
  ];
  for (const [words, what] of SENTENCES)
    check(JSON.stringify(words), () => {
      const error = damagedPdf(new Error(`${words}\nat line 2`));
      assert.equal(
        [error.kind, error.message, error.details],
        ['CorruptArchive', `The PDF document is damaged: ${what}. ${ADVICE}`, { engine: words }],
      );
    });
  check('a page', () => {
    const { kind, message, details } = damagedPage('thrown text');
    assert.equal(
      [kind, message, details],
      [
        'CorruptPage',
        `The page cannot be drawn, because parts of the PDF document are not valid PDF. ${ADVICE}`,
        { engine: 'thrown text' },
      ],
    );
  });
});

block('damaged documents', (check) => {
  const whole = readFileSync(fixture('books/four-pages.pdf'));
  const DOCUMENTS: readonly (readonly [name: string, bytes: Uint8Array])[] = [
    ['nothing but a header', Buffer.from('%PDF-1.4\n')],
    ['a header and noise', Buffer.concat([Buffer.from('%PDF-1.7\n'), Buffer.alloc(5000, '<<[(')])],
    ['cut off in its first object', whole.subarray(0, 60)],
    ['zeros behind the header', Buffer.concat([whole.subarray(0, 40), Buffer.alloc(whole.length - 40)])],
    ['an open dictionary', Buffer.from('%PDF-1.4\n1 0 obj\n<</Type/Catalog/Pages [ 2 0 R')],
  ];
  for (const [name, bytes] of DOCUMENTS)
    check(name, async () => {
      const fault = await faultIn(bytes);
      assert.ok(fault !== null && ['CorruptArchive', 'EmptyBook'].includes(fault.kind), JSON.stringify(fault));
      assert.not.match(fault.message, /xref|dict|array|objects? found|token|syntax/i);
    });
  check('protection that the engine does not know', async () => {
    const document = `%PDF-1.4
1 0 obj
<</Type/Catalog/Pages 2 0 R>>
endobj
2 0 obj
<</Type/Pages/Kids[3 0 R]/Count 1>>
endobj
3 0 obj
<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]>>
endobj
trailer
<</Root 1 0 R/Encrypt<</Filter/Other.Handler/V 1/R 2/O(${'o'.repeat(32)})/U(${'u'.repeat(32)})/P 4>>/ID[(a)(a)]>>
startxref
0
%%EOF
`;
    const fault = await faultIn(Buffer.from(document));
    assert.equal(
      [fault?.kind, fault?.message],
      [
        'EncryptedArchive',
        'The PDF document is protected in a way that this server cannot open; save it without protection.',
      ],
    );
  });
});
