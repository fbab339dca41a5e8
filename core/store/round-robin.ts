// A queue in which users take turns. The work of one user stays in order.

export class Turns<T> {
  /** In the order of their next turns. No list is empty. */
  readonly #byUser = new Map<number, T[]>();

  #length = 0;

  get length(): number {
    return this.#length;
  }

  get isEmpty(): boolean {
    return this.#length === 0;
  }

  countOf(user: number): number {
    return this.#byUser.get(user)?.length ?? 0;
  }

  push(user: number, item: T): void {
    this.#length += 1;
    const items = this.#byUser.get(user);
    if (items === undefined) this.#byUser.set(user, [item]);
    else items.push(item);
  }

  /** Before the other work of its user. */
  unshift(user: number, item: T): void {
    this.#length += 1;
    const items = this.#byUser.get(user);
    if (items === undefined) this.#byUser.set(user, [item]);
    else items.unshift(item);
  }

  /** The item whose turn is next; it stays. */
  get first(): T | undefined {
    return this.#byUser.values().next().value?.[0];
  }

  shift(): T | undefined {
    return this.take(() => true);
  }

  /** The first item that is ready. Its user goes to the end of the map; users without such an item keep their turn. */
  take(isReady: (item: T) => boolean): T | undefined {
    for (const [user, items] of this.#byUser) {
      const at = items.findIndex(isReady);
      if (at < 0) continue;
      const [item] = items.splice(at, 1);
      this.#length -= 1;
      this.#byUser.delete(user);
      if (items.length > 0) this.#byUser.set(user, items);
      return item;
    }
    return undefined;
  }

  /** False when it is not in the queue (any more). */
  remove(user: number, item: T): boolean {
    const items = this.#byUser.get(user);
    const at = items?.indexOf(item) ?? -1;
    if (items === undefined || at < 0) return false;
    items.splice(at, 1);
    this.#length -= 1;
    if (items.length === 0) this.#byUser.delete(user);
    return true;
  }

  all(): T[] {
    return [...this.#byUser.values()].flat();
  }

  clear(): T[] {
    const all = this.all();
    this.#byUser.clear();
    this.#length = 0;
    return all;
  }
}
