// Server-sent events as an app reads them: by name, with JSON as data.
import { type IncomingMessage, request } from 'node:http';
import { PATIENCE } from '../kit.js';
import type { App } from './app-server.js';

const WAIT_MS = 15_000 * PATIENCE;

interface Event {
  readonly kind: string;
  readonly data: unknown;
}

export interface Events {
  /** The data of the next event of one of these names, after those that were returned before. */
  next(...names: readonly string[]): Promise<unknown>;
  close(): void;
}

const eventOf = (frame: string): Event | undefined => {
  const fieldOf = (field: string): string | undefined => new RegExp(`^${field}: ?(.*)$`, 'm').exec(frame)?.[1];
  const [kind, data] = [fieldOf('event'), fieldOf('data')];
  return kind === undefined || data === undefined ? undefined : { kind, data: JSON.parse(data) };
};

/** Resolves when the stream is open. */
export const watchEvents = async (app: App, path: string): Promise<Events> => {
  const reply = await new Promise<IncomingMessage>((resolve, reject) => {
    const { address, headers } = app.place(path);
    const sent = request(address, { headers: { ...headers, Accept: 'text/event-stream' } }, resolve);
    sent.on('error', reject);
    sent.end();
  });
  if (reply.statusCode !== 200) throw new Error(`${path}: ${reply.statusCode}`);
  const waiting: Event[] = [];
  let wake = (): void => undefined;
  let text = '';
  reply.on('error', () => undefined);
  reply.on('data', (chunk: Buffer) => {
    text += chunk.toString();
    const frames = text.split('\n\n');
    text = frames.pop() ?? '';
    waiting.push(...frames.map(eventOf).filter((event) => event !== undefined));
    wake();
  });
  const arrived = (): Promise<void> =>
    new Promise((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error(`no event came; waiting: ${JSON.stringify(waiting)}`)), WAIT_MS);
      wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  return {
    next: async (...names) => {
      for (;;) {
        const at = waiting.findIndex(({ kind }) => names.includes(kind));
        if (at >= 0) return waiting.splice(0, at + 1).at(-1)?.data;
        await arrived();
      }
    },
    close: () => reply.destroy(),
  };
};
