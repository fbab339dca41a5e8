// Somebody who follows a stream of events, through dispatch, and what they heard.
import { EVENTS } from '../../http/api/schemas/events.js';
import type { TempApp } from '../app.js';
import { until } from '../app.js';
import { faultsIn } from '../described.js';

// biome-ignore lint/suspicious/noExplicitAny: payloads are read by the fields the contract names
type Json = any;

export interface Heard {
  readonly id: string | undefined;
  readonly event: string | undefined;
  readonly data: Json;
}

const fieldOf = (block: string, name: string): string | undefined =>
  block
    .split('\n')
    .find((line) => line.startsWith(`${name}: `))
    ?.slice(name.length + 2);

/** Throws unless it is as described, in every field. */
const checked = (data: Json): Json => {
  const kind = String(data.type).split('_')[0] as keyof typeof EVENTS;
  const faults = Object.hasOwn(EVENTS, kind) ? faultsIn(EVENTS[kind], data) : ['no such event'];
  if (faults.length > 0) throw new Error(`${JSON.stringify(data)} is not as described: ${faults.join('; ')}`);
  return data;
};

/** Blocks without data are comments, or set the id alone. */
export const heardIn = (text: string): Heard[] =>
  text.split('\n\n').flatMap((block) => {
    const data = fieldOf(block, 'data');
    return data === undefined
      ? []
      : [{ id: fieldOf(block, 'id'), event: fieldOf(block, 'event'), data: checked(JSON.parse(data)) }];
  });

export interface Listener {
  /** Everything as it came. */
  text(): string;
  /** The id with which a client would come back. */
  lastId(): string;
  /** What was heard since this was asked last. */
  news(): Promise<Heard[]>;
  /** Waits until something is heard; what was heard until then and since this was asked last. */
  hears(what: string, isIt: (heard: Heard) => boolean): Promise<Heard[]>;
  readonly ended: Promise<void>;
  close(): Promise<void>;
}

interface FollowOptions {
  readonly path?: string;
  readonly headers?: Record<string, string>;
}

/** Resolves when all that was committed until now was told. */
export const settle = async ({ app }: TempApp, token: string): Promise<void> => {
  const caller = await app.callers.byToken(token);
  const subscription = await app.events.subscribe('entities', caller, '', new AbortController().signal);
  app.events.leave(subscription);
  for (let turn = 0; turn < 5; turn += 1) await new Promise((resolve) => setImmediate(resolve));
};

export const follow = async (
  temp: TempApp,
  token: string,
  { path = '/events/stream', headers = {} }: FollowOptions = {},
): Promise<Listener> => {
  const { status, body } = await temp.reply('GET', `/api/v1${path}`, { token, headers });
  if (status !== 200 || body.kind !== 'stream') throw new Error(`${path} answers ${status}`);
  const left = new AbortController();
  let text = '';
  let taken = 0;
  const pieces = body.open(left.signal)[Symbol.asyncIterator]();
  text += Buffer.from((await pieces.next()).value ?? '').toString();
  const reading = async (): Promise<void> => {
    for (;;) {
      const { done, value } = await pieces.next();
      if (done === true) return;
      text += Buffer.from(value).toString();
    }
  };
  const ended = reading();
  const since = (): Heard[] => {
    const all = heardIn(text);
    const fresh = all.slice(taken);
    taken = all.length;
    return fresh;
  };
  return {
    text: () => text,
    lastId: () => [...text.matchAll(/^id: (.*)$/gm)].at(-1)?.[1] ?? '',
    news: async () => {
      for (let before = -1; text.length !== before; ) {
        before = text.length;
        await settle(temp, token);
      }
      return since();
    },
    hears: async (what, isIt) => {
      await until(what, () => heardIn(text).slice(taken).some(isIt));
      return since();
    },
    ended,
    close: async () => {
      left.abort();
      await ended;
    },
  };
};

/** `book_updated title of <id>`, short enough to compare. */
export const told = (heard: readonly Heard[]): string[] =>
  heard.map(({ data }) => [data.type, ...(data.fields ?? [])].join(' '));
