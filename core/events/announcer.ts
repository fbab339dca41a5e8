// Appends events to the logs of audiences. Audiences share event values; a limit across all audiences bounds how many are kept.
import type { Besides } from './app-news.js';
import type { Audience } from './audience.js';
import type { Audiences } from './audiences.js';
import type { News, StreamName, Told } from './news.js';

/** Kept for clients that reconnect and for slow ones. */
export const KEPT: Readonly<Record<StreamName, number>> = { entities: 4000, tasks: 1000, scans: 100, apps: 1000 };

export class Announcer {
  readonly #audiences: Audiences;
  readonly #ordinals: Record<StreamName, number> = { entities: 0, tasks: 0, scans: 0, apps: 0 };

  constructor(audiences: Audiences) {
    this.#audiences = audiences;
  }

  /** Only for audiences in which somebody follows the stream, or did. */
  tell(stream: StreamName, audiences: readonly Audience[], newsFor: (audience: Audience) => readonly News[]): void {
    const made = new Map<News, Told>();
    const toldOf = (news: News): Told => {
      const known = made.get(news);
      if (known !== undefined) return known;
      this.#ordinals[stream] += 1;
      const told = { ordinal: this.#ordinals[stream], news };
      made.set(news, told);
      return told;
    };
    for (const audience of audiences.filter(({ followed }) => followed.has(stream))) {
      const told = newsFor(audience).map(toldOf);
      audience.logs[stream].append(told);
      if (told.length > 0) audience.wake(stream);
    }
    if (made.size === 0) return;
    // Clients that are up to date lose nothing, however much was added now.
    const oldest = this.#ordinals[stream] - Math.max(KEPT[stream], made.size) + 1;
    for (const audience of this.#audiences.all) audience.logs[stream].trim(oldest);
  }

  tellMore(more: ReadonlyMap<Audience, Besides>): void {
    this.tell('apps', [...more.keys()], (audience) => {
      const { lists = [], reading = [] } = more.get(audience) ?? {};
      return [...lists, ...reading];
    });
    for (const [{ members }, { reading }] of more)
      for (const member of reading.length === 0 ? [] : members) member.tellReading(reading);
  }
}
