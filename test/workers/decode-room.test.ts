// Memory for decoding: what an image takes, and what is refused before a pixel is decoded.

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { writeZip } from '../../bench/zip-writer.js';
import { DECODE_ROOM_BYTES, giveRoom, isExceeded, newDecodeRoom, takeRoom } from '../../core/model/decode-budget.js';
import { CONTROL_BYTES } from '../../core/model/jobs.js';
import { decodeBytesOf } from '../../workers/decode-size.js';
import { tempApp, until } from '../app.js';
import { assert, block } from '../kit.js';
import { chunk } from '../png.js';

/** A PNG whose header is sound. */
const png = (width: number, height: number, isInterlaced: boolean): Buffer => {
  const header = Buffer.from([0, 0, 0, 0, 0, 0, 0, 0, 8, 2, 0, 0, Number(isInterlaced)]);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  const signature = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1');
  return Buffer.concat([
    signature,
    chunk('IHDR', header),
    chunk('IDAT', Buffer.alloc(0)),
    chunk('IEND', Buffer.alloc(0)),
  ]);
};

/** Three components, the colours at half the width and height; the first scan has all of them, or one. */
const jpeg = (frame: number, inScan = 3): Buffer =>
  Buffer.from([
    ...[0xff, 0xd8, 0xff, 0xe0, 0, 16, 0x4a, 0x46, 0x49, 0x46, 0, 1, 1, 0, 0, 1, 0, 1, 0, 0],
    ...[0xff, 0xc4, 0, 4, 0, 0],
    ...[0xff, frame, 0, 17, 8, 0x10, 0, 0x20, 0, 3, 1, 0x22, 0, 2, 0x11, 1, 3, 0x11, 1],
    ...[0xff, 0xda, 0, 6 + 2 * inScan, inScan, ...[1, 0, 2, 0, 3, 0].slice(0, 2 * inScan), 0, 63, 0, 0, 0, 0, 0],
  ]);

const bytesOf = (bytes: Uint8Array): Promise<number> => decodeBytesOf({ kind: 'image', bytes });

block('what decoding an image takes', (check) => {
  const MEGA = 1000 * 1000;
  const rows: readonly (readonly [fact: string, bytes: Uint8Array, least: number, most: number])[] = [
    ['a plain PNG next to nothing', png(4000, 6000, false), 0, 0],
    ['a plain PNG with very long lines many of them', png(20_000, 9000, false), 100 * MEGA, 150 * MEGA],
    [
      'a plain PNG with longer lines than fit more than there is',
      png(60_000, 4000, false),
      DECODE_ROOM_BYTES,
      Infinity,
    ],
    ['a plain PNG with few long lines hardly less', png(65_535, 4, false), 70 * MEGA, 90 * MEGA],
    ['an interlaced PNG all of its pixels', png(4000, 4000, true), 48 * MEGA, 80 * MEGA],
    ['a plain JPEG next to nothing', jpeg(0xc0), 0, 0],
    ['a progressive JPEG all of its coefficients', jpeg(0xc2), 0x1000 * 0x2000 * 3, 0x1000 * 0x2000 * 6],
    ['a JPEG in one scan for each colour too', jpeg(0xc0, 1), 0x1000 * 0x2000 * 3, 0x1000 * 0x2000 * 6],
    ['what is no image nothing', Buffer.from('<svg'), 0, 0],
  ];
  for (const [fact, bytes, least, most] of rows)
    check(fact, async () => {
      const taken = await bytesOf(bytes);
      assert.ok(taken >= least && taken <= most, String(taken));
    });
  check('rendered pixels take nothing: their job already holds memory for them', async () =>
    assert.is(await decodeBytesOf({ kind: 'pixels', width: 9, height: 9, channels: 3, bytes: new Uint8Array(243) }), 0),
  );
});

block('memory for decoding', (check) => {
  check('an image that does not fit waits until memory is released; nothing is released twice', () => {
    const room = new Int32Array(newDecodeRoom(4));
    const [one, other] = [new Int32Array(CONTROL_BYTES / 4), new Int32Array(CONTROL_BYTES / 4)];
    const most = DECODE_ROOM_BYTES * 0.7;
    assert.equal([takeRoom(room, one, most), takeRoom(room, other, most)], [true, false]);
    giveRoom(room, one);
    giveRoom(room, one);
    assert.equal([takeRoom(room, other, most), takeRoom(room, one, most)], [true, false]);
  });
  check('only one that holds memory alone may hold more than what is shared, and none may hold any beside it', () => {
    const room = new Int32Array(newDecodeRoom(4));
    const [one, other] = [new Int32Array(CONTROL_BYTES / 4), new Int32Array(CONTROL_BYTES / 4)];
    const [little, much] = [DECODE_ROOM_BYTES / 8, (DECODE_ROOM_BYTES / 8) * 5];
    assert.ok(takeRoom(room, one, little) && takeRoom(room, other, little), 'both hold a little');
    assert.equal([takeRoom(room, one, much), isExceeded(room)], [false, false]);
    giveRoom(room, other);
    assert.equal([takeRoom(room, one, much), isExceeded(room)], [true, true]);
    assert.is(takeRoom(room, other, 1024), false);
    assert.is(takeRoom(room, one, little * 2), true, 'as much as there is');
    assert.is(takeRoom(room, one, little), false);
    giveRoom(room, one, little);
    assert.equal([isExceeded(room), takeRoom(room, other, little)], [false, true]);
  });
  check('what a thread holds counts for its job', () => {
    const room = new Int32Array(newDecodeRoom(4));
    const [before, job] = [new Int32Array(CONTROL_BYTES / 4), new Int32Array(CONTROL_BYTES / 4)];
    assert.ok(takeRoom(room, before, DECODE_ROOM_BYTES / 4));
    assert.is(takeRoom(room, job, DECODE_ROOM_BYTES / 2), false, 'another thread holds it');
    assert.is(takeRoom(room, job, DECODE_ROOM_BYTES / 2, DECODE_ROOM_BYTES / 4), true, 'its own thread does');
  });
  check('with many threads the whole budget is shared', () => {
    const room = new Int32Array(newDecodeRoom(16));
    const jobs = Array.from({ length: 4 }, () => new Int32Array(CONTROL_BYTES / 4));
    assert.ok(jobs.every((job) => takeRoom(room, job, DECODE_ROOM_BYTES / 4)));
    assert.is(isExceeded(room), false);
  });
  check('an image that exceeds the whole budget keeps its book, and is refused without being decoded', async () => {
    const temp = await tempApp();
    try {
      const token = await temp.tokenOf('admin');
      mkdirSync(join(temp.shelf, 'Series'));
      const items = [
        { name: '1.png', bytes: png(9000, 9000, true) },
        { name: '2.png', bytes: png(9000, 9000, false) },
      ];
      writeFileSync(join(temp.shelf, 'Series', 'Huge.cbz'), writeZip(items));
      const made = await temp.call('POST', '/api/v1/libraries', { token, body: { name: 'Shelf', path: temp.shelf } });
      await temp.call('POST', `/api/v1/libraries/${made.json.id}/scan`, { token });
      await until('the scan ends', () => temp.app.scans.active().length === 0);
      const [book] = (await temp.call('GET', '/api/v1/books', { token })).json.data;
      assert.equal([book.pageCount, book.analysisError], [2, null]);
      const page = await temp.call('GET', `/api/v1/books/${book.id}/pages/1?width=100`, { token });
      assert.equal([page.status, page.json?.error], [422, 'LimitExceeded']);
      assert.match(page.json.message, /takes more memory than/);
      assert.is((await temp.call('GET', `/api/v1/books/${book.id}/pages/1`, { token })).status, 200);
    } finally {
      await temp.close();
    }
  });
});
