// Work that nobody waits for becomes urgent once somebody does.

export class Urgency {
  #user: number | undefined;
  #listener: (() => void) | undefined;

  /** Who began to wait last; undefined while nobody did. */
  get user(): number | undefined {
    return this.#user;
  }

  /** A user waits from now on. */
  raise(user: number): void {
    this.#user = user;
    this.#listener?.();
  }

  /** Called for everybody who begins to wait from now on: the work of one user may have to stay where it is, and that of the next not. */
  onRaised(listener: () => void): void {
    this.#listener = listener;
  }
}
