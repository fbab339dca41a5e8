// The list of positions of an EPUB (readium.org/architecture, locators): where a reader may be, for apps that count in positions.
import type { EpubContents } from '../../core/model/epub-contents.js';
import { placeOfPosition, spineOf } from '../../core/reading/places.js';

/** Of a longer book not every position is listed: it would be a file that claims sizes that it does not have. */
const LISTED_MAX = 50_000;

/**
 * Addresses are paths inside the book: apps compare them with those of the manifest from the name of the row on. `written`: the form in which
 * the surface writes a path.
 */
export const positionListView = ({ spine: items }: EpubContents, written: (path: string) => string) => {
  const spine = spineOf(items);
  const stride = Math.max(1, Math.ceil(spine.total / LISTED_MAX));
  const positions = Array.from({ length: Math.ceil(spine.total / stride) }, (_, index) =>
    placeOfPosition(spine, index * stride + 1),
  ).flatMap((place) => {
    if (place === undefined) return [];
    const { href, mediaType, position, progression, totalProgression } = place;
    return [{ href: written(href), type: mediaType, locations: { position, progression, totalProgression } }];
  });
  return { total: spine.total, positions };
};
