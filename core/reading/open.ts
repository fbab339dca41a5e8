// What the engine keeps in memory about readers.
import { StreamedReading, type StreamedReadingParts } from './streamed-reading.js';
import { UnreadUsers } from './unread-users.js';

export interface ReadingState {
  readonly unreadUsers: UnreadUsers;
  readonly streamedReading: StreamedReading;
}

export const openReading = (parts: StreamedReadingParts): ReadingState => ({
  unreadUsers: new UnreadUsers(parts.db),
  streamedReading: new StreamedReading(parts),
});
