// What a key of the configuration can be: its type, default, bounds and one sentence. The keys themselves are in config-keys.ts.
import type { Shape } from './shapes.js';

interface TextKey<T extends string | null> {
  readonly type: 'text';
  readonly preset: T;
  readonly say: string;
  /** What null means, for the help text. */
  readonly unset: string;
  /** A secret is never printed, even when it is wrong. */
  readonly secret: boolean;
  readonly shape: Shape;
}

interface WholeKey {
  readonly type: 'whole' | 'bytes';
  readonly preset: number;
  readonly say: string;
  readonly min: number;
  readonly max: number;
}

/** A share of a whole. */
interface RatioKey {
  readonly type: 'ratio';
  readonly preset: number;
  readonly say: string;
}

interface FlagKey {
  readonly type: 'flag';
  readonly preset: boolean;
  readonly say: string;
}

interface ChoiceKey<W extends string> {
  readonly type: 'choice';
  readonly preset: W;
  readonly say: string;
  readonly words: readonly W[];
}

interface ListKey {
  readonly type: 'list';
  readonly preset: readonly string[];
  readonly say: string;
  /** Of each entry. */
  readonly shape: Shape;
}

export type Key =
  | TextKey<string>
  | TextKey<string | null>
  | WholeKey
  | RatioKey
  | FlagKey
  | ChoiceKey<string>
  | ListKey;

export const KIB = 1024;
export const MIB = 1024 * KIB;
export const GIB = 1024 * MIB;
export const TIB = 1024 * GIB;

export const text = (preset: string, say: string, shape: Shape): TextKey<string> => {
  return { type: 'text', preset, say, unset: '', secret: false, shape };
};

export const optional = (unset: string, say: string, shape: Shape): TextKey<string | null> => {
  return { type: 'text', preset: null, say, unset, secret: false, shape };
};

export const secret = (
  unset: string,
  say: string,
  expects: string,
  holds: (text: string) => boolean = () => true,
): TextKey<string | null> => {
  return {
    type: 'text',
    preset: null,
    say,
    unset,
    secret: true,
    shape: { pattern: '[\\s\\S]', expects, holds },
  };
};

export const whole = (preset: number, min: number, max: number, say: string): WholeKey => {
  return { type: 'whole', preset, min, max, say };
};

export const bytes = (preset: number, min: number, max: number, say: string): WholeKey => {
  return { type: 'bytes', preset, min, max, say };
};

export const ratio = (preset: number, say: string): RatioKey => ({ type: 'ratio', preset, say });

export const flag = (preset: boolean, say: string): FlagKey => ({ type: 'flag', preset, say });

export const choice = <const W extends string>(preset: NoInfer<W>, words: readonly W[], say: string): ChoiceKey<W> => {
  return { type: 'choice', preset, words, say };
};

export const list = (preset: readonly string[], say: string, shape: Shape): ListKey => {
  return { type: 'list', preset: Object.freeze(preset), say, shape };
};
