// Which device a request is said to come from: the key, what the app calls itself, or the User-Agent.
import type { Caller } from '../../core/access/caller.js';
import { NOBODY } from '../../core/model/viewer.js';
import type { Request } from '../../http/server/adapter.js';
import { readerOf } from '../../http/surface/device.js';
import { assert, block } from '../kit.js';

const user = {
  key: 1,
  id: 'u',
  username: 'ann',
  email: '',
  emailVerified: true,
  permissions: [],
  active: true,
} as const;
const PASSWORD: Caller = {
  user: { ...user, role: 'reader' },
  permissions: new Set(),
  via: { kind: 'password', storedHash: '' },
};
const KEY: Caller = { ...PASSWORD, via: { kind: 'api-key', id: 'k', name: 'Tablet', expiresAt: null } };

const deviceOf = (caller: Caller, headers: Readonly<Record<string, string>>) => {
  const request = { header: (name: string) => headers[name] ?? '' } as Request;
  return readerOf({ caller, viewer: NOBODY, request }).device;
};

block('devices', (check) => {
  check('an id that is too long, or holds what no header should, counts as none', () => {
    const plain = deviceOf(PASSWORD, { 'user-agent': 'Reader/1' });
    for (const id of ['', 'x'.repeat(129), 'a b', 'a\u00e9'])
      assert.equal(deviceOf(PASSWORD, { 'user-agent': 'Reader/1', 'x-codex-device-id': id }), plain, id);
  });
  check('apps that name their device are told apart, whatever their User-Agent, which is the name', () => {
    const [one, two] = ['a', 'b'].map((id) =>
      deviceOf(PASSWORD, { 'user-agent': 'Reader/1', 'x-codex-device-id': id }),
    );
    const updated = deviceOf(PASSWORD, { 'user-agent': 'Reader/2', 'x-codex-device-id': 'a' });
    assert.is.not(one?.id, two?.id);
    assert.equal([updated.id, updated.name], [one?.id, 'Reader/2']);
  });
  check('a key is a device by itself', () => {
    assert.equal(deviceOf(KEY, { 'user-agent': 'x', 'x-codex-device-id': 'a' }), { id: 'k', name: 'Tablet' });
  });
});
