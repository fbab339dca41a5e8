// The covers that follow a scan: those that are due (due-covers.ts), the newest first.
import type { Clock } from '../engine/clock.js';
import { CoverDrain } from './cover-drain.js';
import { COVER_LANE, type CoverParts, hasCover } from './cover-tasks.js';
import { coversDue } from './due-covers.js';
import type { DueKind } from './due-kind.js';

/** Before covers that somebody asked to remake. */
const PRIORITY = 390;

export const dueCovers = (parts: CoverParts & { readonly clock: Clock }): DueKind => {
  const drainParts = { ...parts, isThere: hasCover(parts), now: () => parts.clock.now() };
  return {
    type: 'generate_due_thumbnails',
    lane: COVER_LANE,
    priority: PRIORITY,
    ...coversDue,
    pass: (pass) => new CoverDrain(drainParts, pass).run(),
  };
};
