// Memory for a page that is unpacked as a whole while its book is read.
import { readBytesOf } from './decode-size.js';
import type { Extent, Room } from './formats/format.js';

/** Holds it until the work is done; nothing for pages of ordinary size. */
export const inPageRoom = async <T>(room: Room, page: Extent, work: () => Promise<T>): Promise<T> => {
  const bytes = readBytesOf(page);
  if (bytes === 0) return work();
  room.keepRoom(bytes);
  try {
    return await work();
  } finally {
    room.leaveRoom();
  }
};
