// Schemas of answers: named records made of few kinds of fields, each with an example, and the type of the values that a schema describes.
import Type, { type Static, type TObject, type TProperties, type TSchema } from 'typebox';
import { SOME_ID } from './schemas.js';

/** What a view may return: nothing has to be mutable, and a field that may be absent may also be undefined, which JSON leaves out. */
type Given<T> = T extends readonly (infer U)[]
  ? readonly Given<U>[]
  : T extends object
    ? { readonly [K in keyof T]: Given<T[K]> | (Record<never, never> extends Pick<T, K> ? undefined : never) }
    : T;

/** The type of a view: a view that does not fit the schema of its answer does not compile. */
export type Wire<S extends TSchema> = Given<Static<S>>;

/** A record that the description lists under this name. `component` is a keyword of our own. */
export const record = <P extends TProperties>(component: string, properties: P): TObject<P> =>
  Type.Object(properties, { component });

export const orNull = <S extends TSchema>(schema: S) => Type.Union([schema, Type.Null()]);

const about = (description: string | undefined): { description?: string } =>
  description === undefined ? {} : { description };

export const text = (example: string, description?: string) =>
  Type.String({ examples: [example], ...about(description) });

export const whole = (example: number, description?: string) =>
  Type.Integer({ examples: [example], ...about(description) });

export const number = (example: number, description?: string) =>
  Type.Number({ examples: [example], ...about(description) });

export const yes = (example: boolean, description?: string) =>
  Type.Boolean({ examples: [example], ...about(description) });

export const word = <const W extends string>(words: readonly W[], description?: string) =>
  Type.Enum([...words], about(description));

export const id = (description?: string) =>
  Type.String({
    format: 'uuid',
    pattern: '^[0-9a-f-]+$',
    examples: [SOME_ID],
    ...about(description),
  });

/** RFC 3339 in UTC. */
export const time = (description?: string) =>
  Type.String({ format: 'date-time', pattern: 'Z$', examples: ['2026-01-31T12:00:00.000Z'], ...about(description) });

/** What users and files write freely. */
export const anyObject = (description?: string) => Type.Record(Type.String(), Type.Unknown(), about(description));
