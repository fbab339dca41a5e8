// Delivers one mail: to the configured SMTP server, or as a file in a folder when there is none. Only importer of nodemailer.
import { randomBytes } from 'node:crypto';
import { chmod, readdir, rm, writeFile } from 'node:fs/promises';
import { isIP } from 'node:net';
import { join } from 'node:path';
import { createTransport } from 'nodemailer';
import { makeFolder } from '../store/make-folder.js';
import type { Letter } from './mail-texts.js';

export interface SmtpOptions {
  readonly host: string;
  readonly port: number;
  readonly username: string | null;
  readonly password: string | null;
}

export interface DeliveryOptions {
  /** Null: files in the folder. */
  readonly smtp: SmtpOptions | null;
  readonly from: { readonly name: string; readonly address: string };
  readonly folder: string;
}

/** Delivers within a bounded time, or throws; returns the file it wrote, if it wrote one. */
export type Deliver = (letter: Letter, nowMs: number, signal: AbortSignal) => Promise<string | null>;

/** Each step of the conversation, and all of it. */
const STEP_MS = 10_000;
const DELIVERY_MS = 30_000;
export const FILES_MAX = 200;
const IMPLICIT_TLS_PORT = 465;

const isLoopback = (host: string): boolean =>
  host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'));

/**
 * On this machine TLS protects nothing, and such servers have certificates that they made themselves. Elsewhere certificates are checked, and
 * a password is never sent without TLS.
 */
export const transportOptionsOf = ({ host, port, username, password }: SmtpOptions) => ({
  host,
  port,
  secure: port === IMPLICIT_TLS_PORT,
  requireTLS: username !== null && !isLoopback(host),
  ...(isLoopback(host) ? { tls: { rejectUnauthorized: false } } : {}),
  ...(username === null ? {} : { auth: { user: username, pass: password ?? '' } }),
  connectionTimeout: STEP_MS,
  greetingTimeout: STEP_MS,
  socketTimeout: STEP_MS,
  dnsTimeout: STEP_MS,
  disableFileAccess: true,
  disableUrlAccess: true,
});

/** The address as an object: nothing in it is read as a list of addresses, and what would begin another header is encoded or dropped. */
const messageOf = ({ to, subject, text }: Letter, from: DeliveryOptions['from']) => ({
  from,
  to: { name: '', address: to },
  subject,
  text,
  // RFC 3834: nobody's absence notes come back.
  headers: { 'Auto-Submitted': 'auto-generated' },
});

const bySmtp = (smtp: SmtpOptions, from: DeliveryOptions['from']): Deliver => {
  const transport = createTransport(transportOptionsOf(smtp));
  return async (letter, _nowMs, signal) => {
    const late = AbortSignal.timeout(DELIVERY_MS);
    await transport.sendMail({ ...messageOf(letter, from), signal: AbortSignal.any([signal, late]) });
    return null;
  };
};

/** The oldest go: a file holds a link. */
const keepNewest = async (folder: string): Promise<void> => {
  const names = (await readdir(folder)).filter((name) => name.endsWith('.eml')).sort();
  for (const name of names.slice(0, Math.max(0, names.length - FILES_MAX)))
    await rm(join(folder, name), { force: true });
};

/** Unencoded, for people who open it in an editor. The address and the subject hold no line break. */
const fileText = ({ to, subject, text }: Letter, nowMs: number): string => `To: ${to}
Subject: ${subject}
Date: ${new Date(nowMs).toUTCString().replace('GMT', '+0000')}
MIME-Version: 1.0
Content-Type: text/plain; charset=utf-8
Content-Transfer-Encoding: 8bit

${text}`;

const toFolder =
  (folder: string): Deliver =>
  async (letter, nowMs) => {
    await makeFolder(folder, 0o700);
    await chmod(folder, 0o700);
    const time = new Date(nowMs).toISOString().replaceAll(/[-:]/g, '').replace('.', '-');
    const path = join(folder, `${time}-${randomBytes(4).toString('hex')}.eml`);
    await writeFile(path, fileText(letter, nowMs), { mode: 0o600, flag: 'wx' });
    await keepNewest(folder);
    return path;
  };

export const deliveryOf = ({ smtp, from, folder }: DeliveryOptions): Deliver =>
  smtp === null ? toFolder(folder) : bySmtp(smtp, from);

/** Why a mail was not delivered, without a word of the server's: it may quote the mail. */
export const deliveryFault = (thrown: unknown): string => {
  if (!(thrown instanceof Error)) return 'unknown reason';
  const { code, responseCode, command } = thrown as Error & Readonly<Record<string, unknown>>;
  const words = [code, command, responseCode].filter((one) => /^[\w ]{1,40}$/.test(String(one ?? '')));
  return words.length === 0 ? thrown.name : words.join(' ');
};
