// Work that nobody waits for becomes urgent once somebody does.

export class Urgency {
  #user: number | undefined;
  #listener: ((user: number) => void) | undefined;

  /** A user waits from now on. Only the first call counts. */
  raise(user: number): void {
    if (this.#user !== undefined) return;
    this.#user = user;
    this.#listener?.(user);
  }

  /** Called once, at once if somebody waits already. */
  onRaised(listener: (user: number) => void): void {
    this.#listener = listener;
    if (this.#user !== undefined) listener(this.#user);
  }
}
