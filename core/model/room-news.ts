// The message of a thread whose job waits for memory that other threads may hold.

export interface RoomNews {
  readonly lacksRoom: true;
}
