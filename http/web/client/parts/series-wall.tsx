// The series that meet a wish, as a wall with a rail of letters.
import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { t } from '../messages/messages.js';
import type { Series } from '../state/api.js';
import { BLOCK, lettersOf, type SeriesWish, seriesBlock } from '../state/lists.js';
import { Failure, useFetched } from './fetched.js';
import { Letters } from './letters.js';
import { SeriesCard } from './series-card.js';
import { Wall } from './wall.js';

/** Blocks that are kept around the one that is seen. */
const BLOCKS_MAX = 24;

interface Loaded {
  readonly total: number;
  readonly blocks: ReadonlyMap<number, readonly Series[]>;
}

interface Props {
  readonly wish: SeriesWish;
  /** Another number loads everything again, while what is shown stays. */
  readonly revision?: number;
  readonly onTotal?: (total: number) => void;
  /** What is said where there are none. */
  readonly empty: string;
}

/** By block; the oldest are forgotten. */
const withBlock = (blocks: Loaded['blocks'], block: number, data: readonly Series[]): Loaded['blocks'] => {
  const next = new Map(blocks);
  next.delete(block);
  next.set(block, data);
  for (const old of next.keys()) if (next.size > BLOCKS_MAX) next.delete(old);
  return next;
};

const useBlocks = (wish: SeriesWish, revision: number, onTotal: ((total: number) => void) | undefined) => {
  const loaded = useSignal<Loaded | null>(null);
  const fault = useSignal<unknown>(null);
  const asked = useRef(new Set<number>());
  const control = useRef(new AbortController());
  const seen = useRef({ from: 0, to: 1 });

  const load = (block: number): void => {
    if (asked.current.has(block)) return;
    asked.current.add(block);
    const { signal } = control.current;
    seriesBlock(wish, block, { signal }).then(
      ({ data, total }) => {
        if (signal.aborted) return;
        fault.value = null;
        loaded.value = { total, blocks: withBlock(loaded.value?.blocks ?? new Map(), block, data) };
        for (const known of asked.current)
          if (!loaded.value.blocks.has(known) && known !== block) asked.current.delete(known);
        onTotal?.(total);
      },
      (thrown: unknown) => {
        asked.current.delete(block);
        if (!signal.aborted) fault.value = thrown;
      },
    );
  };
  const see = (from: number, to: number): void => {
    seen.current = { from, to };
    const last = Math.floor(Math.max(0, Math.min(to, loaded.value?.total ?? to) - 1) / BLOCK);
    for (let block = Math.floor(from / BLOCK); block <= last; block += 1) load(block);
  };
  const again = (): void => {
    control.current.abort();
    control.current = new AbortController();
    asked.current.clear();
    see(seen.current.from, seen.current.to);
  };
  const key = JSON.stringify(wish);
  useEffect(() => {
    loaded.value = null;
    seen.current = { from: 0, to: 1 };
    again();
    return () => control.current.abort();
  }, [key]);
  useEffect(() => {
    if (revision > 0) again();
  }, [revision]);
  return { loaded, fault, see, again };
};

export const SeriesWall = ({ wish, revision = 0, onTotal, empty }: Props) => {
  const { loaded, fault, see, again } = useBlocks(wish, revision, onTotal);
  const jump = useSignal<{ readonly to: number } | null>(null);
  const isByName = wish.sort === 'name,asc';
  const letters = useFetched(
    async (signal) => (isByName ? await lettersOf(wish, { signal }) : []),
    [JSON.stringify(wish), revision],
  );
  const { value } = loaded;
  if (fault.value !== null && value === null) return <Failure thrown={fault.value} again={again} />;
  if (value === null) return <p class="loading" role="status" aria-label={t.app.loading} />;
  if (value.total === 0) return <p class="nothing">{empty}</p>;
  const { blocks, total } = value;
  return (
    <div class="wall-frame">
      <Wall
        total={total}
        label={t.series.wall}
        jump={jump.value}
        onSeen={see}
        card={(index) => {
          const series = blocks.get(Math.floor(index / BLOCK))?.[index % BLOCK];
          return series === undefined ? null : <SeriesCard key={series.id} series={series} isLazy={false} />;
        }}
      />
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
