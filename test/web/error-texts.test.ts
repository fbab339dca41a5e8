// What the web client says of errors, in each of its languages: of every kind that the API has, as the API really answers.
import { AppError, type ErrorKind, KINDS } from '../../core/model/errors.js';
import { isPathCode, pathRefusal } from '../../core/model/path-refusal.js';
import { errorReply, WIRE } from '../../http/surface/errors.js';
import { de } from '../../http/web/client/messages/de.js';
import { en } from '../../http/web/client/messages/en.js';
import {
  type Explanation,
  explanationOf,
  invalidFieldOf,
  isInactiveAccount,
  pathCodeOf,
  SPECIFIC,
  statusOf,
} from '../../http/web/client/state/api-errors.js';
import { assert, block } from '../kit.js';

const KIND_NAMES = Object.keys(KINDS) as readonly ErrorKind[];

/** What the client throws when the API answers with an error. */
const answered = (error: AppError) => {
  const { status, body } = errorReply(error);
  if (body.kind !== 'bytes') throw new Error('an error is answered with bytes');
  return { status, data: JSON.parse(String(body.bytes)) as unknown };
};

const english = en.errors.kinds;
const said = (thrown: unknown, text?: string): { readonly en: Explanation; readonly de: Explanation } => ({
  en: explanationOf(thrown, { messages: en.errors, isEnglish: true, english, text }),
  de: explanationOf(thrown, { messages: de.errors, isEnglish: false, english, text }),
});

block('sentences about errors', (check) => {
  check('each kind has one in each language', () => {
    const words = Object.values(WIRE)
      .map(({ word }) => word)
      .sort();
    for (const { errors } of [en, de]) assert.equal(Object.keys(errors.kinds).sort(), words);
  });
  check('a kind of which the server may say more is known by the sentence that says no more', () => {
    for (const kind of KIND_NAMES)
      if (SPECIFIC.has(WIRE[kind].word))
        assert.is((english as Record<string, string>)[WIRE[kind].word], KINDS[kind].say);
    const words = new Set<string>(Object.values(WIRE).map(({ word }) => word));
    assert.equal(
      [...SPECIFIC].filter((word) => !words.has(word)),
      [],
    );
  });
  check('no German sentence is the English one, and none is repeated below itself', () => {
    for (const kind of KIND_NAMES) {
      const { en: one, de: other } = said(answered(new AppError(kind)));
      assert.not.equal(one.text, other.text, kind);
      assert.equal([one.detail, other.detail], [null, null], kind);
    }
  });
  check('where the server says more, that is all in English, and in German it follows the sentence of the kind', () => {
    const sentence = 'The library "Comics" already has this path: /comics';
    const { en: one, de: other } = said(answered(new AppError('Conflict', sentence)));
    assert.equal(one, { text: sentence, detail: null });
    assert.equal(other, { text: de.errors.kinds.Conflict, detail: sentence });
    assert.equal(said(answered(new AppError('Conflict', sentence)), 'Ordner belegt').de, {
      text: 'Ordner belegt',
      detail: sentence,
    });
  });
  check('what only a programmer understands is never shown', () => {
    for (const error of [
      new AppError('NotFound', 'There is no series with this id.'),
      new AppError('Unauthorized', 'x'),
    ])
      for (const { text, detail } of Object.values(said(answered(error)))) {
        assert.not.equal(text, error.message);
        assert.is(detail, null);
      }
  });
  check('somebody who tried too often is told how long to wait', () => {
    const wait = (retry_after: number) => said(answered(new AppError('TooManyRequests', 'x', { retry_after })));
    assert.is(wait(1).en.text, 'Too many attempts. Try again in 1 second.');
    assert.is(wait(40).de.text, 'Zu viele Versuche. Versuche es in 40 Sekunden noch einmal.');
    assert.is(wait(301).en.text, 'Too many attempts. Try again in 6 minutes.');
    assert.is(said(answered(new AppError('TooManyRequests'))).en.text, english.TooManyRequests);
  });
  check('a field is named as its form names it', () => {
    const message = 'must have 1 to 100 characters';
    const { de: other } = said(
      answered(new AppError('BadRequest', `The username ${message}.`, [{ path: 'username', message }])),
    );
    assert.equal(other, {
      text: 'Prüfe, was du unter „Benutzername“ eingegeben hast.',
      detail: `The username ${message}.`,
    });
    const nested = [{ path: 'scanningConfig.cronSchedule', message: 'is wrong' }];
    assert.match(said(answered(new AppError('BadRequest', 'x', nested))).de.text, /Nach Zeitplan scannen/);
    const unknown = [{ path: 'pageSize', message: 'is wrong' }];
    assert.is(said(answered(new AppError('BadRequest', 'x', unknown))).de.text, de.errors.kinds.BadRequest);
  });
  check('what is no answer of the API has a sentence too', () => {
    for (const thrown of [
      new TypeError('Failed to fetch'),
      { status: 502, data: '<html>' },
      { status: 504, data: null },
    ])
      assert.equal(said(thrown).de, { text: de.errors.unreachable, detail: null });
    assert.is(said({ status: 418, data: 'teapot' }).en.text, en.errors.unknown);
    assert.is(said({ status: 409, data: { error: 'NewerKind', message: 'Newer.' } }).de.text, de.errors.unknown);
  });
});

block('causes that screens name themselves', (check) => {
  check('a folder that cannot be used, by the code of the system', () => {
    for (const code of Object.keys(en.library.refusals))
      assert.is(isPathCode(code) ? pathCodeOf(answered(pathRefusal(code, '/x'))) : 'none', code);
    assert.equal(Object.keys(de.library.refusals), Object.keys(en.library.refusals));
  });
  check('an account that is disabled, apart from a wrong password', () => {
    const inactive = answered(new AppError('Unauthorized', 'Account is inactive', { reason: 'inactive' }));
    assert.equal([statusOf(inactive), isInactiveAccount(inactive)], [401, true]);
    assert.is(isInactiveAccount(answered(new AppError('Unauthorized', 'Invalid credentials'))), false);
  });
  check('the field that is wrong', () => {
    const taken = new AppError('Conflict', 'Email already exists', [{ path: 'email', message: 'is taken' }]);
    assert.is(invalidFieldOf(answered(taken)), 'email');
    assert.is(invalidFieldOf(answered(new AppError('Conflict'))), null);
    assert.is(invalidFieldOf(new TypeError('Failed to fetch')), null);
  });
});
