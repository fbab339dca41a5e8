// How the body of a library names its strategies, in both spellings, and how they map to the catalog's.
import Type, { type Static } from 'typebox';
import type { RulesChange } from '../../../core/catalog/strategies.js';
import {
  BOOK_STRATEGIES,
  NUMBER_STRATEGIES,
  SERIES_STRATEGIES,
  type StrategyConfig,
  type TitleRule,
} from '../../../core/model/strategies.js';

const config = Type.Optional(
  Type.Union([Type.Record(Type.String(), Type.Unknown()), Type.Null()], { expected: 'an object of options, or null' }),
);

const titleRule = Type.Object({
  pattern: Type.String({ minLength: 1 }),
  replacement: Type.String({ maxLength: 500 }),
  description: Type.Optional(Type.Union([Type.String({ maxLength: 1000 }), Type.Null()])),
  enabled: Type.Optional(Type.Boolean()),
});

const titleRules = Type.Optional(
  Type.Union([Type.Array(titleRule, { maxItems: 50 }), Type.Null()], {
    expected: 'a list of at most 50 rules with pattern and replacement, or null',
  }),
);

const series = Type.Optional(Type.Enum([...SERIES_STRATEGIES]));
const book = Type.Optional(Type.Enum([...BOOK_STRATEGIES]));
const number = Type.Optional(Type.Enum([...NUMBER_STRATEGIES]));

export const strategyFields = {
  seriesStrategy: series,
  series_strategy: series,
  seriesConfig: config,
  series_config: config,
  bookStrategy: book,
  book_strategy: book,
  bookConfig: config,
  book_config: config,
  numberStrategy: number,
  number_strategy: number,
  numberConfig: config,
  number_config: config,
  titlePreprocessingRules: titleRules,
  title_preprocessing_rules: titleRules,
};

const strategyBody = Type.Object(strategyFields);

/** An empty object means the same as null. */
const configOf = (given: StrategyConfig | undefined): StrategyConfig | undefined =>
  given !== undefined && given !== null && Object.keys(given).length === 0 ? null : given;

const ruleOf = (rule: Static<typeof titleRule>): TitleRule => ({
  pattern: rule.pattern,
  replacement: rule.replacement,
  description: rule.description ?? null,
  enabled: rule.enabled ?? true,
});

const either = <T>(first: T | undefined, second: T | undefined): T | undefined =>
  first === undefined ? second : first;

export const rulesOf = (body: Static<typeof strategyBody>): RulesChange => {
  const rules = either(body.titlePreprocessingRules, body.title_preprocessing_rules);
  return {
    seriesStrategy: either(body.seriesStrategy, body.series_strategy),
    seriesConfig: configOf(either(body.seriesConfig, body.series_config)),
    bookStrategy: either(body.bookStrategy, body.book_strategy),
    bookConfig: configOf(either(body.bookConfig, body.book_config)),
    numberStrategy: either(body.numberStrategy, body.number_strategy),
    numberConfig: configOf(either(body.numberConfig, body.number_config)),
    titleRules: rules === undefined || rules === null ? rules : rules.map(ruleOf),
  };
};
