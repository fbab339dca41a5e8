// Facts about a book or series: pairs of a word and its value, and names that lead to everything that has them.
import type { ComponentChildren } from 'preact';
import { t } from '../messages/messages.js';
import type { Author, Term } from '../state/api.js';
import { linkTo } from '../state/router.js';

export type Fact = readonly [word: string, value: ComponentChildren | null | undefined];

export const Facts = ({ facts }: { readonly facts: readonly Fact[] }) => {
  const known = facts.filter(([, value]) => value !== null && value !== undefined && value !== '');
  if (known.length === 0) return null;
  return (
    <dl class="facts">
      {known.map(([word, value]) => (
        <div key={word}>
          <dt>{word}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
};

/** People by what they did, in the order in which they are named. */
export const peopleFacts = (authors: readonly Author[]): readonly Fact[] => {
  const byRole = new Map<Author['role'], Set<string>>();
  for (const { name, role } of authors) byRole.set(role, (byRole.get(role) ?? new Set()).add(name));
  return [...byRole].map(([role, names]) => [
    t.roles[role],
    <ul key={role} class="names">
      {[...names].map((name) => (
        <li key={name}>
          <a class="text-link" href={linkTo('browse', '', { author: name })}>
            {name}
          </a>
        </li>
      ))}
    </ul>,
  ]);
};

const NAMES_SHOWN = 60;

/** Names that lead nowhere; null if there are none. */
export const namesFact = (word: string, names: readonly string[]): Fact => [
  word,
  names.length === 0 ? null : names.slice(0, NAMES_SHOWN).join(', ') + (names.length > NAMES_SHOWN ? ', …' : ''),
];

/** Pages elsewhere about what is shown. */
export const linksFact = (word: string, links: readonly { readonly url: string }[]): Fact => [
  word,
  links.length === 0 ? null : (
    <ul class="names">
      {links.map(({ url }) => (
        <li key={url}>
          <a class="text-link" href={url} target="_blank" rel="noopener noreferrer">
            {new URL(url).hostname.replace(/^www\./, '')}
          </a>
        </li>
      ))}
    </ul>
  ),
];

interface ChipsProps {
  readonly kind: 'genre' | 'tag';
  readonly terms: readonly Term[];
}

export const Chips = ({ kind, terms }: ChipsProps) =>
  terms.length === 0 ? null : (
    <ul class="chips" aria-label={t.series.kinds[kind]}>
      {terms.map(({ id, name }) => (
        <li key={id}>
          <a class="chip" href={linkTo('browse', '', { [kind]: name })}>
            {name}
          </a>
        </li>
      ))}
    </ul>
  );
