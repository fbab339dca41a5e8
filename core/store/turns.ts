// A queue in which users take turns. The work of one user stays in order.

export class Turns<T> {
  /** In the order of their next turns. No list is empty. */
  readonly #byUser = new Map<number, T[]>();

  get isEmpty(): boolean {
    return this.#byUser.size === 0;
  }

  countOf(user: number): number {
    return this.#byUser.get(user)?.length ?? 0;
  }

  push(user: number, item: T): void {
    const items = this.#byUser.get(user);
    if (items === undefined) this.#byUser.set(user, [item]);
    else items.push(item);
  }

  /** A user with more to do goes to the end of the map. */
  shift(): T | undefined {
    const next = this.#byUser.entries().next().value;
    if (next === undefined) return undefined;
    const [user, items] = next;
    this.#byUser.delete(user);
    const item = items.shift();
    if (items.length > 0) this.#byUser.set(user, items);
    return item;
  }

  /** False when it is not in the queue (any more). */
  remove(user: number, item: T): boolean {
    const items = this.#byUser.get(user);
    const at = items?.indexOf(item) ?? -1;
    if (items === undefined || at < 0) return false;
    items.splice(at, 1);
    if (items.length === 0) this.#byUser.delete(user);
    return true;
  }

  clear(): T[] {
    const all = [...this.#byUser.values()].flat();
    this.#byUser.clear();
    return all;
  }
}
