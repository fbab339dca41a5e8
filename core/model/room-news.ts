// What a thread says when its job waits for memory that other threads may hold.

export interface RoomNews {
  readonly lacksRoom: true;
}
