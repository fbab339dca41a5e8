// Mails to third parties with text that a stranger chose: names of accounts, addresses, and everything that a request says of itself.
import { join } from 'node:path';
import { openInbox } from '../../access/post-office.js';
import { until } from '../../app.js';
import { ask, jsonOf } from '../ask.js';
import type { Kind } from '../kind.js';
import type { Target } from '../target.js';

const BASE = 'https://comics.example/books';
const NAMES = [
  'Your account is locked! http://evil.example/unlock',
  'evil.example',
  '<a href=//evil.example>evil</a>',
  'evil\u2028evil.example',
  'e\u0301vil.example/\u202efdp',
  'Subject: evil',
];
const HEADERS: Readonly<Record<string, string>> = {
  host: 'evil.example',
  origin: 'http://evil.example',
  'x-forwarded-host': 'evil.example',
  forwarded: 'host=evil.example;proto=https',
  'x-forwarded-proto': 'https',
  'x-forwarded-prefix': '/evil',
  'user-agent': 'evil.example',
  'accept-language': 'evil',
};
/** Addresses that would be two, or begin another header. */
const BAD_ADDRESSES = [
  'a@x.example\r\nBcc: evil@evil.example',
  'a@x.example,evil@evil.example',
  '"evil <evil@evil.example>"@x.example',
];

const PASSWORD = 'gulls over the pier 4';

const environment = (port: number): Readonly<Record<string, string>> => ({
  SVC_AUTH__REGISTRATION_ENABLED: 'true',
  SVC_AUTH__EMAIL_CONFIRMATION_REQUIRED: 'true',
  SVC_APPLICATION__BASE_URL: BASE,
  SVC_EMAIL__SMTP_HOST: '127.0.0.1',
  SVC_EMAIL__SMTP_PORT: String(port),
});

/** Each from an address of its own, so that no request counts for another. Returns how many mails are due. */
const provoke = async (target: Target): Promise<number> => {
  let from = 0;
  const post = async (path: string, body: unknown, headers: Readonly<Record<string, string>> = {}) => {
    from += 1;
    const url = `${target.program.address}/api/v1${path}`;
    return ask(url, { method: 'POST', body, headers, from: `127.0.3.${from}` });
  };
  let due = 0;
  for (const [n, username] of NAMES.entries()) {
    const email = `victim${n}@third.example`;
    for (const body of [
      { username, email, password: PASSWORD },
      { username: `${username} 2`, email, password: PASSWORD },
    ])
      if ((await post('/auth/register', body)).status === 201) due += 1;
  }
  for (const path of ['/auth/register', '/auth/forgot-password', '/auth/resend-verification']) {
    const body = { username: 'plain', email: 'admin@example.com', password: PASSWORD };
    await post(path, body, HEADERS);
  }
  for (const email of BAD_ADDRESSES) await post('/auth/register', { username: 'plain too', email, password: PASSWORD });
  return due;
};

export const mails: Kind = {
  name: 'mails',
  concerns: 'engine',
  hindrance: () => null,
  run: async (scene) => {
    const { report } = scene;
    const inbox = await openInbox();
    scene.atEnd(() => inbox.close());
    const start = { data: join(scene.folder, 'data'), shelves: [], environment: environment(inbox.port) };
    const target = await scene.start(start);
    report.tried.push(`registrations and requests for links with ${NAMES.length} names and headers of a stranger`);
    const due = await provoke(target);
    await until('the mails arrive', () => inbox.received.length >= Math.max(1, due));
    const evil = inbox.received.filter(({ text, to }) => /evil/i.test(text) || to.length !== 1);
    report.judge(
      evil.length === 0,
      `${inbox.received.length} mails hold none of it`,
      `a mail says ${JSON.stringify(evil[0]?.text.slice(0, 600))}`,
    );
    const strange = inbox.received
      .flatMap(({ text }) => text.match(/https?:\/\/\S+/g) ?? [])
      .filter((link) => !link.startsWith(`${BASE}/`));
    report.judge(strange.length === 0, 'their links lead to the configured address', strange.join());
    report.judge(
      jsonOf(await target.api('/auth/me')).username === 'admin',
      'the administrator stays signed in',
      'the administrator is signed out',
    );
  },
};
