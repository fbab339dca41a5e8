// The message of a thread whose job waits for memory that other threads may hold, or holds so much that they should end.

export interface RoomNews {
  readonly lacksRoom: true;
}
