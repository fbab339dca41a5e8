// From a seed number to hostile files: which fixture, what is changed, and whether outside or inside of what is packed.
import fc from 'fast-check';
import { writeZip } from '../../bench/zip-writer.js';
import { withTarSums } from '../tar-writer.js';
import { type Change, changes, mutated } from './mutate.js';
import { withRarSums } from './rar-sums.js';
import { type Seed, type Subject, seedsOf } from './seeds.js';

export interface Recipe {
  readonly seed: number;
  readonly other: number;
  /** `inside`: an entry of a zip archive is changed and packed again; checksums of RAR and tar headers are put right. */
  readonly layer: 'outside' | 'inside';
  readonly item: number;
  readonly changes: readonly Change[];
}

export interface Input {
  readonly name: string;
  readonly bytes: Buffer;
}

export const recipes: fc.Arbitrary<Recipe> = fc.record({
  seed: fc.nat(9999),
  other: fc.nat(9999),
  layer: fc.constantFrom('outside', 'inside'),
  item: fc.nat(9999),
  changes,
});

const pick = <T>(list: readonly T[], at: number): T => {
  const found = list[at % list.length];
  if (found === undefined) throw new Error('there is nothing to pick from');
  return found;
};

const changedInside = ({ items }: Seed, recipe: Recipe, other: Seed): Buffer => {
  const at = recipe.item % items.length;
  const spliced = other.items.length === 0 ? other.bytes : pick(other.items, recipe.item).bytes;
  return writeZip(
    items.map((item, index) =>
      index === at ? { ...item, bytes: mutated(item.bytes, recipe.changes, spliced) } : item,
    ),
  );
};

/** Reads the fixtures once; every recipe gives the same file each time. */
export const inputsOf = (subject: Subject): ((recipe: Recipe) => Input) => {
  const seeds = seedsOf(subject);
  const withSums = subject === 'cbt' ? withTarSums : withRarSums;
  return (recipe) => {
    const seed = pick(seeds, recipe.seed);
    const other = pick(seeds, recipe.other);
    if (recipe.layer === 'inside' && seed.items.length > 0)
      return { name: seed.name, bytes: changedInside(seed, recipe, other) };
    const bytes = mutated(seed.bytes, recipe.changes, other.bytes);
    return { name: seed.name, bytes: recipe.layer === 'inside' ? withSums(bytes) : bytes };
  };
};
