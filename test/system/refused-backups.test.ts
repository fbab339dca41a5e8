// Files that are no backups, or no longer are what was written: refused with the reason, and nothing changes.
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { withConnection } from '../../core/store/connection.js';
import { restoreBackup } from '../../core/upkeep/restore.js';
import { TarWriter } from '../../core/upkeep/tar.js';
import { assert, block, thrownBy } from '../kit.js';
import { addCover, makeFolder, run, usersOf } from './backup-folder.js';

const IMAGE = '01890000-0000-7000-8000-0000000000a1';
const BLOCK = 512;

let root = '';
const at = (...parts: readonly string[]): string => join(root, ...parts);

const sha256 = (bytes: Uint8Array | string): string => createHash('sha256').update(bytes).digest('hex');

/** What a restore of this file says; the data folder must be as before. */
const refusalOf = async (source: string): Promise<string> => {
  const folder = at('data');
  const before = readdirSync(folder, { recursive: true });
  const thrown = await thrownBy(() =>
    restoreBackup({ path: join(folder, 'longbox.db'), source, keptFolder: join(folder, 'backups'), nowMs: 0 }),
  );
  assert.equal(readdirSync(folder, { recursive: true }), before);
  assert.equal(await usersOf(join(folder, 'longbox.db')), ['anna', 'late']);
  return String(thrown);
};

let made = 0;
/** A file with the bytes of the sound backup, changed. */
const changed = (change: (bytes: Buffer) => Buffer): string => {
  made += 1;
  const path = at(`changed-${made}.tar`);
  writeFileSync(path, change(Buffer.from(readFileSync(at('whole.tar')))));
  return path;
};

/** Writes a sum that fits what the header says now. */
const summed = (bytes: Buffer, header: number): Buffer => {
  bytes.fill(0x20, header + 148, header + 156);
  let sum = 0;
  for (const byte of bytes.subarray(header, header + BLOCK)) sum += byte;
  bytes.write(`${sum.toString(8).padStart(6, '0')}\0 `, header + 148, 'latin1');
  return bytes;
};

const headerOf = (bytes: Buffer, name: string): number => {
  for (let offset = 0; offset < bytes.length; offset += BLOCK)
    if (bytes.toString('latin1', offset, offset + name.length + 1) === `${name}\0`) return offset;
  throw new Error(`no ${name}`);
};

const DESCRIPTION = (over: object = {}): string =>
  JSON.stringify({
    ...{
      format: 'longbox-backup',
      formatVersion: 1,
      version: '0.1.0',
      schema: 1,
      createdAt: '2026-01-31T12:00:00.000Z',
    },
    ...over,
  });

/** A tar file of these texts, in this order; its list of contents fits unless one is given. */
const written = async (files: Readonly<Record<string, string>>, list?: unknown): Promise<string> => {
  made += 1;
  const path = at(`written-${made}.tar`);
  const handle = await open(path, 'wx');
  const tar = new TarWriter(handle, 0, {});
  for (const [name, text] of Object.entries(files)) await tar.addText(name, text);
  const fitting = Object.entries(files).map(([name, text]) => ({ name, bytes: text.length, sha256: sha256(text) }));
  await tar.addText('manifest.json', JSON.stringify({ files: list ?? fitting }));
  await tar.end();
  await handle.close();
  return path;
};

block(
  'refused backups',
  (check) => {
    check('a truncated one is refused, wherever it ends', async () => {
      const whole = readFileSync(at('whole.tar'));
      for (const bytes of [whole.length - 1024, whole.length - 2048, Math.floor(whole.length / 2), 700, 512])
        assert.match(
          await refusalOf(changed((one) => one.subarray(0, bytes))),
          /truncated|damaged|missing/,
          `${bytes}`,
        );
    });
    check('a changed byte is noticed, of the database, of an image and of a header', async () => {
      for (const name of ['longbox.db', `uploads/${IMAGE}.jpg`]) {
        const flip = (bytes: Buffer): Buffer => {
          const position = headerOf(bytes, name) + BLOCK + 3;
          bytes.writeUInt8(bytes.readUInt8(position) ^ 1, position);
          return bytes;
        };
        assert.match(await refusalOf(changed(flip)), new RegExp(`${name} in it does not match its manifest`));
      }
      const inHeader = changed((bytes) => {
        const digit = headerOf(bytes, 'longbox.db') + 130; // of the size, in octal
        bytes.writeUInt8(bytes.readUInt8(digit) ^ 1, digit);
        return bytes;
      });
      assert.match(await refusalOf(inHeader), /is damaged at byte/);
    });
    check('paths that lead elsewhere, and names that no backup has', async () => {
      for (const name of [
        '../evil.jpg',
        '/etc/evil',
        `uploads/../${IMAGE}.jpg`,
        `uploads/${IMAGE}.jpg/x`,
        'secrets/jwt',
      ])
        assert.match(
          await refusalOf(await written({ 'backup.json': DESCRIPTION(), [name]: 'x' })),
          /which no backup has/,
        );
      assert.not.ok(existsSync(at('evil.jpg')));
    });
    check('links, folders and devices are refused', async () => {
      for (const type of ['1', '2', '3', '5', '6', 'x', 'L']) {
        const source = changed((bytes) => {
          const header = headerOf(bytes, `uploads/${IMAGE}.jpg`);
          bytes.write(type, header + 156, 'latin1');
          bytes.write('/etc/passwd', header + 157, 'latin1');
          return summed(bytes, header);
        });
        assert.match(await refusalOf(source), /something that is no plain file/, type);
      }
    });
    check('a size beyond the end of the file takes no memory and no room', async () => {
      const source = changed((bytes) => {
        const header = headerOf(bytes, 'longbox.db');
        bytes.write('77777777777\0', header + 124, 'latin1');
        return summed(bytes, header);
      });
      assert.match(await refusalOf(source), /truncated/);
    });
    check('a list of contents that names more, less, or twice', async () => {
      const files = { 'backup.json': DESCRIPTION(), 'longbox.db': 'x' };
      const entry = (name: string, text: string) => ({ name, bytes: text.length, sha256: sha256(text) });
      const first = entry('backup.json', files['backup.json']);
      const second = entry('longbox.db', 'x');
      const more = entry(`uploads/${IMAGE}.jpg`, 'x');
      for (const list of [[first], [first, second, more], [first, first], [first, more]])
        assert.match(
          await refusalOf(await written(files, list)),
          /does not match what it contains|does not match its manifest/,
        );
      assert.match(await refusalOf(await written(files, [{ name: 1 }])), /manifest is damaged/);
      assert.match(await refusalOf(await written({ 'backup.json': DESCRIPTION() })), /longbox\.db is missing from it/);
    });
    check('a file of another program, of a newer format, and of a newer schema', async () => {
      const db = { 'longbox.db': 'x' };
      assert.match(await refusalOf(await written({ 'backup.json': '{}', ...db })), /was not made by Longbox/);
      assert.match(await refusalOf(await written({ 'backup.json': 'x', ...db })), /description is damaged/);
      const format = await written({ 'backup.json': DESCRIPTION({ formatVersion: 2 }), ...db });
      assert.match(await refusalOf(format), /made by a newer version of Longbox/);
      const schema = await written({ 'backup.json': DESCRIPTION({ schema: 9999 }), ...db });
      assert.match(await refusalOf(schema), /written by a newer version \(schema 9999\); install that one first/);
      const nonsense = await written({ 'backup.json': DESCRIPTION(), 'longbox.db': 'no database at all '.repeat(100) });
      assert.match(await refusalOf(nonsense), /is not a Longbox database/);
    });
    check('a database of a newer schema is refused as well, and a database that is damaged', async () => {
      const newer = at('newer.db');
      writeFileSync(newer, readFileSync(at('data', 'longbox.db')));
      await withConnection(newer, (one) => one.exec('PRAGMA user_version = 9999'));
      assert.match(await refusalOf(newer), /schema 9999\); install that one first/);
      const torn = at('torn.db');
      writeFileSync(torn, readFileSync(at('data', 'longbox.db')).fill(7, 8192, 65_536));
      assert.match(await refusalOf(torn), /torn\.db is (?:damaged|not a Longbox database)/);
    });
    check('the command says why, without a stack, and its exit code is 1', async () => {
      mkdirSync(at('folder.tar'));
      for (const [file, words] of [
        [changed((bytes) => bytes.subarray(0, 3000)), /is not a valid backup: it is truncated/],
        [at('missing.tar'), /There is no file/],
        [at('folder.tar'), /folder\.tar is not a file/],
      ] as const) {
        const { code, text } = await run('restore', file, '--data', at('data'));
        assert.is(code, 1);
        assert.match(text, words);
        assert.not.match(text, /\n {4}at /);
      }
      const { text } = await run('restore', at('\u001b[31mred.tar'), '--data', at('data'));
      assert.match(text, /There is no file \S+\?\[31mred\.tar/);
      assert.is((await run('restore', '--data', at('data'))).code, 2);
    });
  },
  {
    before: async () => {
      root = mkdtempSync(join(tmpdir(), 'longbox-refused-'));
      await makeFolder(at('data'), 'anna', 'late');
      await addCover(at('data'), IMAGE, 'an image');
      assert.is((await run('backup', at('whole.tar'), '--data', at('data'))).code, 0);
      await usersOf(at('data', 'longbox.db'));
    },
    after: () => rmSync(root, { recursive: true, force: true }),
    deadlineS: 120,
  },
);
