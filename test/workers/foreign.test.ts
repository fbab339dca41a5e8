// Files that are no books: the error says what the file is, whatever its name promises.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { writeZip } from '../../bench/zip-writer.js';
import { fixture } from '../../fixtures/index.js';
import { assert, block } from '../kit.js';
import { analysed } from './analysed.js';

const ENDINGS = ['cbz', 'cbr', 'cbt', 'pdf', 'epub'];
const bytes = (text: string, before = 0): Buffer =>
  Buffer.concat([Buffer.alloc(before, 1), Buffer.from(text, 'latin1'), Buffer.alloc(600, 1)]);

/** Every fourth byte value is a control character, so this is neither text nor zeros. */
const NOISE = Buffer.from(Array.from({ length: 4096 }, (_, index) => (index * 167 + (index >> 4) * 31) & 0xff));

const FOREIGN: readonly (readonly [string, Buffer, RegExp])[] = [
  ['7z', bytes('7z\xbc\xaf\x27\x1c\0\x04'), /is a 7z archive.*unpack it/],
  ['web page', Buffer.from('<!DOCTYPE html><html><title>404</title></html>'), /is a web page.*download the file again/],
  ['web page after a byte order mark', Buffer.from('\ufeff\n<!-- x -->\n<HTML><body>'), /is a web page/],
  ['gzip', bytes('\x1f\x8b\x08'), /is a gzip archive/],
  ['bzip2', bytes('BZh91AY&SY'), /is a bzip2 archive.*unpack it/],
  ['xz', bytes('\xfd7zXZ\0'), /is an xz archive.*unpack it/],
  ['Zstandard', bytes('\x28\xb5\x2f\xfd'), /is a Zstandard archive.*unpack it/],
  ['LZ4', bytes('\x04\x22\x4d\x18\x64\x40'), /is an LZ4 archive.*unpack it/],
  ['WIM', bytes('MSWIM\0\0\0\xd0'), /is a Windows image \(WIM\).*unpack it/],
  ['ar', bytes('!<arch>\n1.jpg/ '), /is an ar archive.*unpack it/],
  ['lzip', bytes('LZIP\x01'), /is an lzip archive.*unpack it/],
  ['compress', bytes('\x1f\x9d\x90'), /is a compress archive.*unpack it/],
  ['image', bytes('\xff\xd8\xff\xe0'), /is a JPEG image.*pack images/],
  ['PostScript', bytes('%!PS-Adobe-3.0\n%%Pages: 1\n'), /is a PostScript document.*convert it to PDF/],
  ['Kindle book of another kind', bytes('CONT\x02\0'), /is a Kindle book \(KFX\).*convert it/],
  ['LIT', bytes('ITOLITLS\x01'), /is a Microsoft Reader book \(LIT\)/],
  ['Kindle book', bytes('BOOKMOBI', 60), /is a Kindle book.*convert it/],
  ['xar', bytes('xar!\0\x1c\0\x01'), /is an xar archive.*unpack it/],
  ['CAB', bytes('MSCF\0\0\0\0\x10'), /is a CAB archive.*unpack it/],
  ['StuffIt', bytes('StuffIt (c)1997-2002 Aladdin Systems'), /is a StuffIt archive.*unpack it/],
  ['StuffIt before version 5', bytes('SIT!\0\x02\0\0\x10\0rLau\x01'), /is a StuffIt archive/],
  ['ARJ', bytes('\x60\xea\x2c\x00\x22\x0b\x01\x02\x10\x00\x02'), /is an ARJ archive.*unpack it/],
  ['bytes that begin like ARJ', bytes('\x60\xea\xff\xff\x22\x0b'), /is not a zip, RAR/],
  ['the first RAR', bytes('RE~^\x07\0'), /is a RAR archive from before version 1\.5.*unpack it/],
  ['WARC', bytes('WARC/1.0\r\nWARC-Type: warcinfo\r\n'), /is a web archive \(WARC\).*unpack it/],
  ['zoo', bytes('ZOO 2.10 Archive.\x1a\0\0\xdc\xa7\xc4\xfd'), /is a zoo archive.*unpack it/],
  ['CHM', bytes('ITSF\x03\0\0\0'), /is an HTML Help file \(CHM\).*convert it/],
  ['cpio of POSIX', bytes('0707071770000001040755'), /is a cpio archive.*unpack it/],
  ['cpio of SVR4', bytes('07070100000001'), /is a cpio archive/],
  ['cpio of SVR4 with sums', bytes('07070200000001'), /is a cpio archive/],
  ['binary cpio', bytes('\xc7\x71\x01\x00\x02\x00\xa4\x81\xe8\x03'), /is a cpio archive/],
  ['binary cpio of another machine', bytes('\x71\xc7\x00\x01\x00\x02\x41\xed\x03\xe8'), /is a cpio archive/],
  ['shar', Buffer.from('#!/bin/sh\n# This is a shell archive\necho x a\n'), /is a shell archive \(shar\).*unpack it/],
  [
    'shar of GNU',
    Buffer.from('#!/bin/sh\n# To extract,\n# remove this\n# This is a shell archive (produced by GNU)\n'),
    /is a shell archive/,
  ],
  ['shell script', Buffer.from('#!/bin/sh\necho x\n'), /is text/],
  [
    'disc image',
    Buffer.concat([Buffer.alloc(32768), bytes('\x01CD001\x01')]),
    /is a disc image \(ISO 9660\).*unpack it/,
  ],
  [
    'Git LFS pointer',
    Buffer.from(
      'version https://git-lfs.example/spec/v1\noid sha256:4d7a214614ab2935c943f9e0ff69d22eadbb8f32b1258daaa5e2ca24d17e2393\nsize 12345\n',
    ),
    /is a Git LFS pointer.*git lfs pull/,
  ],
  ['git-annex pointer', Buffer.from('/annex/objects/SHA256E-s123--abc.cbz\n'), /is a git-annex pointer.*git annex get/],
  ['zeros', Buffer.alloc(5000), /contains only zeros/],
  ['text', Buffer.from('quota exceeded, try later'), /is text \(“quota exceeded, try later”\)/],
  ['noise', NOISE, /not a zip, RAR, tar, EPUB or PDF file/],
];

/** Zip archives that are no books, by the names in them; `thumbnail` is an image. */
const PACKAGES: readonly (readonly [string, readonly string[], RegExp])[] = [
  [
    'docx',
    ['[Content_Types].xml', '_rels/.rels', 'word/document.xml', 'word/media/thumbnail.png'],
    /is a Word document.*convert it/,
  ],
  ['xlsx', ['[Content_Types].xml', 'xl/workbook.xml', 'docProps/thumbnail.png'], /is an Excel workbook/],
  ['pptx', ['ppt/presentation.xml', '[Content_Types].xml'], /is a PowerPoint presentation/],
  ['xps', ['[Content_Types].xml', 'Documents/1/FixedDoc.fdoc'], /is an XPS document/],
  [
    'odt',
    ['content.xml', 'styles.xml', 'Thumbnails/thumbnail.png', 'META-INF/manifest.xml'],
    /is an OpenDocument file/,
  ],
  ['ods without a manifest', ['mimetype', 'content.xml', 'Thumbnails/thumbnail.png'], /is an OpenDocument file/],
  ['apk', ['AndroidManifest.xml', 'classes.dex', 'res/thumbnail.png'], /is an Android app.*remove it/],
  ['jar', ['META-INF/MANIFEST.MF', 'a/Main.class'], /is a Java program/],
  ['zipped FictionBook', ['book.fb2'], /is a zipped FictionBook.*convert it/],
];

let folder = '';

const faultOf = async (content: Buffer, ending: string): Promise<string> => {
  const path = join(folder, `foreign.${ending}`);
  writeFileSync(path, content);
  return JSON.stringify((await analysed(path)).fault ?? null);
};

block(
  'files that are no books, by their content',
  (check) => {
    for (const [name, content, message] of FOREIGN)
      check(`${name}: the error says what it is under every ending`, async () => {
        for (const ending of ENDINGS) assert.match(await faultOf(content, ending), message, ending);
      });
    for (const [name, names, message] of PACKAGES)
      check(`${name}: the error says what it is, even if there is an image in it`, async () => {
        const image = readFileSync(fixture('images/png-interlaced.png'));
        const zip = writeZip(
          names.map((one) => ({ name: one, bytes: one.endsWith('.png') ? image : Buffer.from('x') })),
        );
        for (const ending of ENDINGS) assert.match(await faultOf(zip, ending), message, ending);
      });
    check('a comic that was packed as a jar is a comic', async () => {
      const bytes = readFileSync(fixture('images/png-interlaced.png'));
      const names = ['META-INF/MANIFEST.MF', '1.png'];
      assert.is(await faultOf(writeZip(names.map((name) => ({ name, bytes }))), 'cbz'), 'null');
    });
  },
  {
    before: () => {
      folder = mkdtempSync(join(tmpdir(), 'longbox-foreign-'));
    },
    after: () => rmSync(folder, { recursive: true }),
  },
);
