// A wall of books or series that can be selected.

import type { Member } from '../state/named-lists.js';
import { MemberCard } from './member-card.js';
import { SelectableCard } from './selectable-card.js';
import type { Selection } from './selection.js';
import { Wall, type WallProps } from './wall.js';

interface Props extends Pick<WallProps, 'total' | 'label' | 'onSeen' | 'jump'> {
  readonly at: (place: number) => Member | null | undefined;
  readonly selection: Selection<Member>;
  /** Whether books name their series: outside of its own screen. */
  readonly withSeries?: boolean;
  /** The read list whose books these are. */
  readonly listId?: string | undefined;
}

export const CardWall = ({ at, selection, withSeries = true, listId, ...wall }: Props) => (
  <Wall
    {...wall}
    card={(place) => {
      const item = at(place);
      if (item === undefined || item === null) return null;
      return (
        <SelectableCard key={item.id} selection={selection} id={item.id} place={place} title={item.title}>
          <MemberCard item={item} withSeries={withSeries} listId={listId} />
        </SelectableCard>
      );
    }}
  />
);
