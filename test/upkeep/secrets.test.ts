// Generated secrets: made once, readable by their owner, never guessed at when damaged.
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadSecrets, type SecretOverrides } from '../../core/upkeep/secrets.js';
import { assert, block, thrownBy } from '../kit.js';

const root = mkdtempSync(join(tmpdir(), 'longbox-secrets-'));
const NONE = { jwtSecret: null, encryptionKey: null };
const modeOf = (path: string): number => statSync(path).mode & 0o777;

/** A data folder whose secret file holds this text. */
const folderWith = (name: string, file: string, text: string): string => {
  const folder = join(root, name);
  mkdirSync(join(folder, 'secrets'), { recursive: true });
  writeFileSync(join(folder, 'secrets', file), text);
  return folder;
};

const BAD: readonly (readonly [string, string, string, RegExp])[] = [
  ['empty', 'jwt-secret', '', /is empty.*sign in again/],
  ['blank', 'jwt-secret', ' \n', /is empty/],
  ['too short', 'encryption-key', 'QUJD', /32 bytes in base64url.*passwords of plugins/],
  ['too long', 'encryption-key', 'A'.repeat(44), /32 bytes/],
  ['of another alphabet', 'jwt-secret', `${'A'.repeat(42)}+`, /32 bytes/],
];

const BAD_OVERRIDES: readonly (readonly [string, Partial<SecretOverrides>, RegExp])[] = [
  ['a short JWT secret', { jwtSecret: 'hunter2' }, /auth\.jwt_secret must be a text of at least 32 bytes/],
  ['a key of 31 bytes', { encryptionKey: 'ab'.repeat(31) }, /auth\.encryption_key must be 32 bytes/],
];

block(
  'secrets',
  (check) => {
    for (const [fact, file, text, want] of BAD) {
      check(`a ${file} file that is ${fact} is refused and left alone`, async () => {
        const folder = folderWith(`bad ${fact}`, file, text);
        const message = String(await thrownBy(() => loadSecrets(folder, NONE)));
        assert.match(message, want);
        assert.ok(message.includes(join(folder, 'secrets', file)), message);
        assert.is(readFileSync(join(folder, 'secrets', file), 'utf8'), text);
        if (text.trim() !== '') assert.not.ok(message.includes(text.trim()), 'the value is not shown');
      });
    }
    for (const [fact, overrides, want] of BAD_OVERRIDES) {
      check(`${fact} in the configuration is refused and not shown`, async () => {
        const message = String(await thrownBy(() => loadSecrets(join(root, 'override'), { ...NONE, ...overrides })));
        assert.match(message, want);
        assert.not.match(message, /hunter2|abab/);
      });
    }
    check('a data folder that cannot contain a folder is named', async () => {
      const folder = join(root, 'plain file');
      writeFileSync(folder, '');
      assert.match(String(await thrownBy(() => loadSecrets(folder, NONE))), /plain file.*cannot be created/);
    });
    check('the first start creates both, 32 bytes each, and later starts find the same', () => {
      const folder = join(root, 'deep', 'fresh');
      const first = loadSecrets(folder, NONE);
      assert.is(first.jwtSecret.length, 32);
      assert.is(first.encryptionKey.length, 32);
      assert.not.equal(first.jwtSecret, first.encryptionKey);
      assert.equal(loadSecrets(folder, NONE), first);
      assert.equal(readdirSync(join(folder, 'secrets')).sort(), ['encryption-key', 'jwt-secret']);
    });
    if (process.platform === 'win32') check.skip('files are private', 'Windows has no such modes');
    else {
      check('the folder has mode 0700 and the files 0600, also after a restore that opened them', () => {
        const folder = join(root, 'modes');
        loadSecrets(folder, NONE);
        const file = join(folder, 'secrets', 'jwt-secret');
        assert.is(modeOf(join(folder, 'secrets')), 0o700);
        assert.is(modeOf(file), 0o600);
        chmodSync(file, 0o644);
        loadSecrets(folder, NONE);
        assert.is(modeOf(file), 0o600);
      });
    }
    check('the configuration takes precedence, and then nothing is written', () => {
      const folder = join(root, 'configured');
      const secrets = loadSecrets(folder, { jwtSecret: 'j'.repeat(32), encryptionKey: 'ab'.repeat(32) });
      assert.is(Buffer.from(secrets.jwtSecret).toString(), 'j'.repeat(32));
      assert.equal(Buffer.from(secrets.encryptionKey), Buffer.alloc(32, 0xab));
      assert.is(statSync(folder, { throwIfNoEntry: false }), undefined);
    });
    check('a key in either base64 is the same key', () => {
      const key = Buffer.alloc(32, 0xfb);
      for (const text of [key.toString('base64'), key.toString('base64url'), key.toString('hex')]) {
        const secrets = loadSecrets(root, { jwtSecret: 'j'.repeat(32), encryptionKey: text });
        assert.equal(Buffer.from(secrets.encryptionKey), key);
      }
    });
  },
  { after: () => rmSync(root, { recursive: true }) },
);
