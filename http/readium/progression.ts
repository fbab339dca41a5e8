// Progression documents: as an app stored them, or made of what was read elsewhere since.
import type { ReadPlace } from '../../core/reading/position.js';
import type { Addresses } from './addresses.js';

/** Apps of one kind read no fractions of seconds. */
const instantOf = (ms: number): string => `${new Date(ms).toISOString().slice(0, 19)}Z`;

const locatorOf = ({ place, page, book }: ReadPlace, addresses: Addresses) => {
  if (place === null)
    return {
      href: addresses.page(page),
      type: 'image/jpeg',
      locations: { position: page, totalProgression: book.pageCount > 0 ? Math.min(1, page / book.pageCount) : 0 },
    };
  const { href, mediaType, position, progression, totalProgression } = place;
  return { href, type: mediaType, locations: { position, progression, totalProgression } };
};

export const progressionView = (found: ReadPlace, addresses: Addresses): Readonly<Record<string, unknown>> => {
  if (found.document !== undefined) return found.document as Readonly<Record<string, unknown>>;
  const { id, name } = found.device;
  return { modified: instantOf(found.at), device: { id, name: name ?? id }, locator: locatorOf(found, addresses) };
};

/** For apps that read only times without a fraction. If the clock of a device was ahead, the time of storing counts. */
export const strictProgressionView = (found: ReadPlace, addresses: Addresses): Readonly<Record<string, unknown>> => {
  const document = progressionView(found, addresses);
  const { modified } = document;
  if (typeof modified !== 'string') return document;
  const ms = Date.parse(modified);
  return Number.isNaN(ms) ? document : { ...document, modified: instantOf(Math.min(ms, found.at)) };
};
