// Progression documents as they are sent: the fields that are read are checked, the rest is stored as it is.
import Type from 'typebox';
import { AppError } from '../../core/model/errors.js';
import { instantOf } from '../../core/model/instant.js';

const share = Type.Optional(Type.Number({ minimum: 0, maximum: 1, expected: 'a number from 0 to 1' }));

const modified = Type.String({
  maxLength: 40,
  pattern: '^\\d{4}-\\d{2}-\\d{2}[Tt ]\\d{2}:\\d{2}(?::\\d{2}(?:\\.\\d{1,9})?)?(?:[Zz]|[+-]\\d{2}:\\d{2})$',
  expected: 'a time such as 2026-01-31T12:00:00Z',
});

const locator = Type.Object({
  href: Type.Optional(Type.String({ maxLength: 4096 })),
  locations: Type.Optional(
    Type.Object({
      position: Type.Optional(Type.Integer({ maximum: 2 ** 31 - 1 })),
      progression: share,
      totalProgression: share,
    }),
  ),
});

/** For apps that may say less. */
export const progressionBody = Type.Object({
  modified: Type.Optional(modified),
  device: Type.Optional(Type.Object({})),
  locator,
});

/** As the specification has it. */
export const wholeProgressionBody = Type.Object({
  modified,
  device: Type.Object({ id: Type.String({ maxLength: 200 }), name: Type.String({ maxLength: 200 }) }),
  locator,
});

/** In milliseconds; undefined when the document says nothing. */
export const timeOf = ({ modified: text }: { readonly modified?: string }): number | undefined => {
  if (text === undefined) return undefined;
  const ms = instantOf(text);
  if (ms === undefined)
    throw new AppError('BadRequest', 'The time is not a date that exists.', [
      { path: 'modified', message: 'is not a date that exists' },
    ]);
  return ms;
};
