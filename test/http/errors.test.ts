// Errors on the wire: what may work in a moment says so, and nothing of the server's inside is shown.
import { AppError, type ErrorKind, KINDS } from '../../core/model/errors.js';
import { errorReply } from '../../http/surface/errors.js';
import { assert, block } from '../kit.js';

const bodyOf = (thrown: unknown): string => {
  const { body } = errorReply(thrown);
  return body.kind === 'bytes' ? body.bytes.toString() : '';
};

block('errors on the wire', (check) => {
  check('every temporary error has Retry-After, and no other has', () => {
    for (const kind of Object.keys(KINDS) as ErrorKind[]) {
      const { status, headers } = errorReply(new AppError(kind));
      const has = headers.some(([name]) => name === 'Retry-After');
      assert.is(has, KINDS[kind].retry, kind);
      assert.is(has, [429, 502, 503].includes(status) && kind !== 'NotConfigured', kind);
    }
  });
  check('an unexpected error shows neither its message nor where it happened', () => {
    for (const thrown of [
      new TypeError('secret /srv/longbox'),
      new AppError('Internal', 'secret /srv/longbox'),
      'secret',
    ])
      assert.not.match(bodyOf(thrown), /secret|\/srv|\.js/);
  });
  check('a machine that has run out of descriptors or memory is busy, wherever that was detected', () => {
    const noticed = Object.assign(new Error("EMFILE: too many open files, open '/srv/secret'"), { code: 'EMFILE' });
    const wrapped = new Error('step list failed', { cause: noticed });
    const memory = new Error('step unpack failed', { cause: new RangeError('Array buffer allocation failed') });
    for (const thrown of [noticed, wrapped, memory]) {
      assert.is(errorReply(thrown).status, 503);
      assert.not.match(bodyOf(thrown), /srv/);
    }
  });
});
