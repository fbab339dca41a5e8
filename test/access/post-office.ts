// A server for tests of mails, with registration on: what it wrote into its folder of mails, or what a real SMTP server got from it.
import { readdirSync, readFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { SMTPServer } from 'smtp-server';
import { type Answer, type TempApp, tempApp } from '../app.js';

export const PASSWORD = 'gulls over the pier 4';
export const BASE = 'https://comics.example/books';

export type Override = { readonly key: string; readonly text: string };

export const OPEN: readonly Override[] = [
  { key: 'auth.registration_enabled', text: 'true' },
  { key: 'application.base_url', text: BASE },
];
export const CONFIRMED: readonly Override[] = [...OPEN, { key: 'auth.email_confirmation_required', text: 'true' }];

export interface Office {
  readonly temp: TempApp;
  readonly notes: string[];
  /** From an address of its own, so that no request counts for another. */
  post(path: string, body: unknown, headers?: Readonly<Record<string, string>>): Promise<Answer>;
  register(username: string, email?: string): Promise<Answer>;
  /** The mails in the folder, the oldest first. */
  mails(): Promise<readonly string[]>;
  /** The token of the newest mail. */
  token(): Promise<string>;
  count(sql: string): Promise<number>;
}

export const tokenIn = (mail: string): string => /#token=([A-Za-z0-9_-]{43})\b/.exec(mail)?.[1] ?? '';

export const withOffice = async (
  overrides: readonly Override[],
  use: (office: Office) => Promise<void>,
): Promise<void> => {
  const notes: string[] = [];
  const temp = await tempApp({ overrides, engine: { onNote: (sentence) => notes.push(sentence) } });
  let asked = 0;
  const post: Office['post'] = (path, body, headers = {}) => {
    asked += 1;
    const address = `10.9.${asked >> 8}.${asked & 255}`;
    return temp.call('POST', `/api/v1${path}`, { body, headers, address });
  };
  const mails = async (): Promise<readonly string[]> => {
    await temp.app.mails.idle();
    const folder = join(temp.folder, 'data', 'mails');
    // Written within one moment of the clock, names do not tell which is newer.
    temp.advance(1000);
    return readdirSync(folder)
      .sort()
      .map((name) => readFileSync(join(folder, name), 'utf8'));
  };
  try {
    await use({
      temp,
      notes,
      post,
      register: (username, email = `${username}@example.org`) =>
        post('/auth/register', { username, email, password: PASSWORD }),
      mails,
      token: async () => tokenIn((await mails()).at(-1) ?? ''),
      count: async (sql) => (await temp.app.db.all<{ n: number }>(`SELECT count(*) AS n FROM ${sql}`))[0]?.n ?? -1,
    });
    if (temp.faults.length > 0) throw new Error(String(temp.faults[0]));
  } finally {
    await temp.close();
  }
};

export interface Received {
  readonly from: string;
  readonly to: readonly string[];
  /** Headers and text, decoded. */
  readonly text: string;
}

export interface Inbox {
  readonly port: number;
  /** Name and password of each login. */
  readonly logins: readonly string[];
  readonly received: readonly Received[];
  close(): Promise<void>;
}

const decoded = (raw: string): string =>
  raw
    .replaceAll(/=\r?\n/g, '')
    .replaceAll(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));

/** With `refuse`, it accepts no mail and quotes it. */
export const openInbox = async (refuse = false): Promise<Inbox> => {
  const received: Received[] = [];
  const logins: string[] = [];
  const server = new SMTPServer({
    authOptional: true,
    allowInsecureAuth: true,
    onAuth: ({ username, password }, _session, callback) => {
      logins.push(`${username} ${password}`);
      callback(null, { user: username });
    },
    disabledCommands: ['STARTTLS'],
    onData: (stream, session, callback) => {
      const pieces: Buffer[] = [];
      stream.on('data', (piece: Buffer) => pieces.push(piece));
      stream.on('end', () => {
        const { mailFrom, rcptTo } = session.envelope;
        const text = decoded(Buffer.concat(pieces).toString());
        if (refuse) return callback(new Error(`no: ${text.replaceAll(/\s+/g, ' ')}`));
        received.push({
          from: mailFrom === false ? '' : (mailFrom?.address ?? ''),
          to: rcptTo.map(({ address }) => address),
          text,
        });
        return callback();
      });
    },
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()));
  const { port } = server.server.address() as AddressInfo;
  return { port, logins, received, close: () => new Promise((resolve) => server.close(() => resolve())) };
};

export const through = ({ port }: Pick<Inbox, 'port'>): readonly Override[] => [
  { key: 'email.smtp_host', text: '127.0.0.1' },
  { key: 'email.smtp_port', text: String(port) },
];
