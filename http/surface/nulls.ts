// Nulls in bodies: clients also send null for an optional field. Where null has a meaning, the schema accepts it and it is kept.
import type { TSchema } from 'typebox';
import { Check } from 'typebox/value';

type Strip = (value: unknown) => unknown;

/** The parts of a JSON schema that are read here. */
interface Shape {
  readonly properties?: Readonly<Record<string, TSchema>>;
  readonly required?: readonly string[];
  readonly items?: TSchema;
  readonly anyOf?: readonly TSchema[];
}

const shapeOf = (schema: TSchema): Shape => schema as Shape;

const asItIs: Strip = (value) => value;

const stripList = (strip: Strip): Strip =>
  strip === asItIs ? asItIs : (value) => (Array.isArray(value) ? value.map(strip) : value);

const stripObject = ({ properties = {}, required = [] }: Shape): Strip => {
  const parts = new Map(Object.entries(properties).map(([name, part]) => [name, withoutNulls(part)]));
  const mayBeAbsent = Object.entries(properties).filter(
    ([name, part]) => !required.includes(name) || 'default' in part,
  );
  const dropped = new Set(mayBeAbsent.filter(([, part]) => !Check(part, null)).map(([name]) => name));
  return (value) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
    const kept = Object.entries(value).filter(([name, one]) => one !== null || !dropped.has(name));
    return Object.fromEntries(kept.map(([name, one]) => [name, (parts.get(name) ?? asItIs)(one)]));
  };
};

/**
 * Drops the nulls that stand for absent fields, at every depth the schema describes. Of several shapes a value may have, the one with
 * properties counts.
 */
export const withoutNulls = (schema: TSchema): Strip => {
  const shape = shapeOf(schema);
  if (shape.properties !== undefined) return stripObject(shape);
  if (shape.items !== undefined) return stripList(withoutNulls(shape.items));
  const strips = (shape.anyOf ?? []).map(withoutNulls).filter((strip) => strip !== asItIs);
  return strips.length === 1 ? (strips[0] ?? asItIs) : asItIs;
};
