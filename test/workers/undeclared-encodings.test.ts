// Metadata in an encoding that nothing declares, or that is declared wrongly: judged by its bytes, as names of entries are.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { writeZip } from '../../bench/zip-writer.js';
import { fixture } from '../../fixtures/index.js';
import { assert, block } from '../kit.js';
import { analysed } from './analysed.js';

const IMAGE = readFileSync(fixture('images/png-interlaced.png'));
let folder = '';

/** The encoding, a title and a summary in it, and the bytes of `title|summary`. */
const TEXTS: readonly (readonly [encoding: string, title: string, summary: string, hex: string])[] = [
  [
    'GBK',
    '火影忍者 第一卷',
    '漩涡鸣人是木叶忍者村的忍者，他的梦想是成为火影。',
    'bbf0d3b0c8ccd5df20b5dad2bbbeed7ce4f6ced0c3f9c8cbcac7c4bed2b6c8ccd5dfb4e5b5c4c8ccd5dfa3accbfbb5c4c3cecfebcac7b3c9ceaabbf0d3b0a1a3',
  ],
  [
    'Big5',
    '海賊王 第一集',
    '路飛的夢想是成為海賊王，於是他離開了村子。',
    'aefcb8e9a4fd20b2c4a440b6b07cb8f4adb8aabab9dab751ac4fa6a8acb0aefcb8e9a4fda141a9f3ac4fa54cc2f7b67da446a7f8a46ca143',
  ],
  [
    'Shift-JIS',
    '進撃の巨人 第1話',
    '人類は巨人から身を守るために壁の中で暮らしていた。ソース表示',
    '90698c8282cc8b90906c2091e63198627c906c97de82cd8b90906c82a982e7906782f08ee782e982bd82df82c995c782cc928682c595e982e782b582c482a282bd8142835c815b8358955c8ea6',
  ],
  [
    'Korean',
    '나 혼자만 레벨업',
    '세계의 헌터들이 던전에서 싸우는 이야기입니다.',
    'b3aa20c8a5c0dab8b820b7b9baa7bef77cbcbcb0e8c0c720c7e5c5cdb5e9c0cc20b4f8c0fcbfa1bcad20bdcebfecb4c220c0ccbedfb1e2c0d4b4cfb4d92e',
  ],
  [
    'Windows-1251',
    'Наруто том 1',
    'Мальчик мечтает стать главой своей деревни.',
    'cde0f0f3f2ee20f2eeec20317ccce0ebfcf7e8ea20ece5f7f2e0e5f220f1f2e0f2fc20e3ebe0e2eee920f1e2eee5e920e4e5f0e5e2ede82e',
  ],
  [
    'Windows-1252',
    'Astérix à l’école — été',
    '“I am” said Müller, the naïve façade; cañón für Übermut…',
    '417374e972697820e0206c92e9636f6c65209720e974e97c934920616d942073616964204dfc6c6c65722c20746865206e61ef7665206661e76164653b206361f1f36e2066fc7220dc6265726d757485',
  ],
];

/** The bytes of `title|summary` as a document. */
const documentOf = (bytes: Buffer, declaration: string): Buffer => {
  const bar = bytes.indexOf(0x7c);
  return Buffer.concat([
    Buffer.from(`${declaration}<ComicInfo><Title>`),
    bytes.subarray(0, bar),
    Buffer.from('</Title><Writer>Plain Name</Writer><Summary>'),
    bytes.subarray(bar + 1),
    Buffer.from('</Summary></ComicInfo>'),
  ]);
};

const factsOf = async (comicInfo: Buffer): Promise<readonly (string | null | undefined)[]> => {
  const path = join(folder, 'book.cbz');
  const files = [
    { name: '1.png', bytes: IMAGE },
    { name: 'ComicInfo.xml', bytes: comicInfo },
  ];
  writeFileSync(path, writeZip(files));
  const { metadata, fault } = await analysed(path);
  assert.is(fault, null);
  return [metadata?.book.title, metadata?.book.summary];
};

block(
  'metadata without a declared encoding',
  (check) => {
    for (const [encoding, title, summary, hex] of TEXTS)
      check(
        `${encoding}: without a declaration, with none of the encoding, and as UTF-8, which it is not`,
        async () => {
          for (const declaration of ['', '<?xml version="1.0"?>', '<?xml version="1.0" encoding="utf-8"?>'])
            assert.equal(await factsOf(documentOf(Buffer.from(hex, 'hex'), declaration)), [title, summary]);
        },
      );
    check('UTF-8 stays UTF-8, also with one damaged byte', async () => {
      for (const [, title, summary] of TEXTS) {
        const bytes = Buffer.from(`${title}|${summary}`);
        assert.equal(await factsOf(documentOf(bytes, '')), [title, summary]);
      }
      const cut = Buffer.from('火影忍者 第一卷|漩涡鸣人是木叶忍者村的忍者');
      const [title, summary] = await factsOf(documentOf(cut.subarray(0, -1), ''));
      assert.is(title, '火影忍者 第一卷');
      assert.match(summary ?? '', /^漩涡鸣人是木叶忍者村的忍/);
    });
    check('one accented letter is Western', async () => {
      assert.equal(await factsOf(documentOf(Buffer.from('caf\xe9|\xc4lpha \x96 x', 'latin1'), '')), [
        'café',
        'Älpha – x',
      ]);
    });
  },
  {
    before: () => {
      folder = mkdtempSync(join(tmpdir(), 'longbox-encodings-'));
    },
    after: () => rmSync(folder, { recursive: true, force: true }),
  },
);
