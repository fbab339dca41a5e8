// The series or books that match the chosen criteria, as a wall; series sorted by name have a letter index.
import { useSignal } from '@preact/signals';
import { t } from '../messages/messages.js';
import type { WallOf } from '../state/filters.js';
import { BLOCK, blockOf, lettersOf, type WallCriteria } from '../state/lists.js';
import type { Member } from '../state/named-lists.js';
import { type Blocks, useBlocks } from './blocks.js';
import { CardWall } from './card-wall.js';
import { Failure, useFetched } from './fetched.js';
import { Letters } from './letters.js';
import type { Selection } from './selection.js';

/** Another `revision` loads everything again; what is shown stays until then. */
export const useWallBlocks = (of: WallOf, criteria: WallCriteria, revision: number): Blocks<Member> =>
  useBlocks<Member>({
    key: of + JSON.stringify(criteria),
    size: BLOCK,
    load: (block, signal) => blockOf(of, criteria, block, { signal }),
    revision,
  });

interface Props {
  readonly of: WallOf;
  readonly criteria: WallCriteria;
  readonly revision: number;
  readonly blocks: Blocks<Member>;
  readonly selection: Selection<Member>;
  /** What is said where there are none. */
  readonly empty: string;
}

export const FilteredWall = ({ of, criteria, revision, blocks, selection, empty }: Props) => {
  const { loaded, error, see, again, at } = blocks;
  const jump = useSignal<{ readonly to: number } | null>(null);
  const hasLetters = of === 'series' && criteria.sort === 'name,asc';
  const letters = useFetched(
    async (signal) => (hasLetters ? await lettersOf(criteria, { signal }) : []),
    [of, JSON.stringify(criteria), revision],
  );
  const { value } = loaded;
  if (error.value !== null && value === null) return <Failure thrown={error.value} again={again} />;
  if (value === null) return <p class="loading" role="status" aria-label={t.app.loading} />;
  if (value.total === 0) return <p class="nothing">{empty}</p>;
  const { total } = value;
  const label = of === 'series' ? t.series.wall : t.series.booksTitle;
  return (
    <div class="wall-frame">
      <CardWall total={total} label={label} jump={jump.value} onSeen={see} at={at} selection={selection} />
      {letters.state.value.kind === 'done' && (
        <Letters
          letters={letters.state.value.value}
          total={total}
          onJump={(to) => {
            jump.value = { to };
          }}
        />
      )}
    </div>
  );
};
