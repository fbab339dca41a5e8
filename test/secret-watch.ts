// Secrets that tests use, and a search for them in everything that servers say: what they log, their faults, their errors, and later answers.
// Only what a process has seen in requests and answers is known, and whatever has the shape of a secret of ours.
import { inspect } from 'node:util';

/** Of one server, or of all programs of a process. More are not kept: the log is searched for the oldest, which is then forgotten. */
const SECRETS_MAX = 3000;
/** Shorter ones may be parts of ordinary words. */
const LENGTH_MIN = 8;
const SHOWN_BYTES = 64 * 1024;
const LOG_MAX = 10_000;

/** A signed token, an API key, a hash of a password, a link of a mail. */
const SHAPES = /\beyJ[\w-]{10,}\.eyJ[\w-]*\.[\w-]{20,}|\bsvc_[\w-]{6,}_[\w-]{30,}|\$argon2\w+\$|#token=[\w-]{20,}/;
/** Two refreshes within a second make the same access token. */
const ISSUING = /\/auth\/(?:login|refresh)\b/;
/** As `key`, the name of a setting or of a preference. */
const DOTTED_NAME = /^\w+(?:\.\w+)+$/;
const SECRET_FIELD = /^(?:\w*password|\w*token|\w*secret|key|codeVerifier)$/i;
/** Found in sentences that tell no secret. */
const ORDINARY_WORD = /^[a-z]+$/;
/** These may contain spaces. */
const PASSWORD_FIELD = /(?:password|codeVerifier)$/i;
const SECRET_SETTING = /secret$|password$|encryption_key$/i;
/** What goes to and fro in the addresses of a sign-on; elsewhere these are names of ordinary things. */
const SIGN_ON = /\/auth\//;
const SENT_IN_ADDRESS = /^(?:code|state|\w*token)$/i;
const OF_A_PROVIDER = /^(?:state|nonce)$/i;

/** What was found, for the runner of the tests: it fails by each. */
export const leaks: string[] = [];

type Fields = Readonly<Record<string, unknown>>;

const fieldsOf = (body: unknown): Fields => (typeof body === 'object' && body !== null ? (body as Fields) : {});

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
};

const ARCHIVE_PASSWORDS = 'archive.passwords';

/** As they are set alone, in a list of changes, or during set-up. */
const archivePasswordsIn = (path: string, { value, updates, settings }: Fields): readonly string[] => {
  const listed: readonly unknown[] = Array.isArray(updates) ? updates : [];
  const given = [
    path.includes(ARCHIVE_PASSWORDS) ? value : null,
    ...listed.map(fieldsOf).map((one) => (one.key === ARCHIVE_PASSWORDS ? one.value : null)),
    fieldsOf(settings)[ARCHIVE_PASSWORDS],
  ];
  return given.filter((one) => typeof one === 'string');
};

interface Listeners {
  readonly onFault: (thrown: unknown) => unknown;
  readonly onNote: (sentence: string) => unknown;
  readonly onWarning: (sentence: string) => unknown;
}

/** Headers as one text, without the cookies, which may tell a secret. */
export const headerText = (headers: Iterable<readonly [string, unknown]>): string =>
  [...headers]
    .filter(([name]) => name.toLowerCase() !== 'set-cookie')
    .map(([name, value]) => `${name}: ${String(value)}`)
    .join('\n');

export interface Heard {
  readonly path?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

export interface Said {
  readonly status: number;
  /** Set-Cookie; '' for none. */
  readonly cookies: string;
  /** As `headerText` makes it. */
  readonly headers?: string;
  readonly text: string;
}

export class SecretWatch {
  readonly #secrets = new Set<string>();
  readonly #log: string[] = [];

  add(secret: string): void {
    if (secret.length < LENGTH_MIN || this.#secrets.has(secret)) return;
    if (this.#secrets.size >= SECRETS_MAX) {
      this.searchLog();
      this.#secrets.delete(this.#secrets.values().next().value ?? '');
    }
    this.#secrets.add(secret);
  }

  /** A setting, by its key or its variable. */
  addSetting(name: string, value: string): void {
    if (SECRET_SETTING.test(name)) this.add(value);
  }

  /** Of a configuration file: whatever stands behind the key of a secret. */
  addFile(text: string): void {
    for (const [, name = '', value = ''] of text.matchAll(/(\w+)["']?[ \t]*:[ \t]*["']?([^"'\n,{}]+)/g))
      this.addSetting(name, value.trim());
  }

  heard({ path = '', headers = {}, body }: Heard): void {
    if (SIGN_ON.test(path)) this.#addQuery(path, SENT_IN_ADDRESS);
    if (SIGN_ON.test(path) && typeof fieldsOf(body).code === 'string') this.add(String(fieldsOf(body).code));
    const { authorization = '', cookie = '' } = headers;
    const [, scheme = '', value = ''] = /^(\w+) +(\S+)$/.exec(authorization) ?? [];
    if (/^bearer$/i.test(scheme)) this.add(value);
    if (/^basic$/i.test(scheme)) this.add(Buffer.from(value, 'base64').toString().split(':').slice(1).join(':'));
    this.add(headers['x-api-key'] ?? '');
    this.#addCookies(cookie);
    // An upload has no fields.
    if (Buffer.isBuffer(body)) return;
    const sent = typeof body === 'string' ? parsed(body) : body;
    for (const value of archivePasswordsIn(path, fieldsOf(sent)))
      for (const line of value.split(/\r?\n/)) if (!ORDINARY_WORD.test(line)) this.add(line);
    this.#addFields(sent);
  }

  /** An answer may tell a secret once, and an error none at all. */
  said({ status, cookies, headers = '', text }: Said, where: string): void {
    const isSearched = status >= 400 || (text.length <= SHOWN_BYTES && !ISSUING.test(where));
    if (isSearched) this.search(text, `the answer ${status} to ${where}`, status >= 400);
    if (status < 400) {
      for (const line of cookies.split('\n')) this.#addCookies(line.split(';')[0] ?? '');
      if (text.startsWith('{') && text.length <= SHOWN_BYTES) this.#addFields(parsed(text));
    }
    // No header tells a secret, not even one of this answer; an app gets its code in an address, once.
    this.search(headers, `the headers of the answer ${status} to ${where}`);
    if (SIGN_ON.test(where)) this.#addQuery(/^location: (.*)$/im.exec(headers)?.[1] ?? '', /^code$/);
  }

  search(text: string, where: string, andShapes = true): void {
    const shape = andShapes ? SHAPES.exec(text)?.[0] : undefined;
    if (shape !== undefined) leaks.push(`a secret in ${where}: ${shape}`);
    for (const secret of this.#secrets)
      if (text.includes(secret)) {
        leaks.push(`a secret in ${where}: ${secret}`);
        return;
      }
  }

  /** Something that goes to the log: a sentence, or what was thrown. It is searched in the end, when all secrets are known. */
  logged(said: unknown): void {
    if (this.#log.length >= LOG_MAX) this.searchLog();
    this.#log.push(typeof said === 'string' ? said : inspect(said, { depth: 6 }));
  }

  searchLog(): void {
    this.search(this.#log.splice(0).join('\n'), 'what a server logs');
  }

  /** The same listeners, with everything that they are told. */
  overheard(listeners: Listeners): Listeners {
    const { onFault, onNote, onWarning } = listeners;
    const first =
      <T>(listener: (said: T) => unknown) =>
      (said: T): void => {
        this.logged(said);
        listener(said);
      };
    return { onFault: first(onFault), onNote: first(onNote), onWarning: first(onWarning) };
  }

  #addQuery(address: string, names: RegExp): void {
    const query = address.split('#')[0]?.split('?').slice(1).join('?') ?? '';
    for (const [name, value] of new URLSearchParams(query)) if (names.test(name)) this.add(value);
  }

  #addCookies(header: string): void {
    for (const pair of header.split(';')) this.add(pair.slice(pair.indexOf('=') + 1).trim());
  }

  /** A password that is also a name in the same body is none worth keeping. */
  #addFields(body: unknown): void {
    const fields = Object.entries(fieldsOf(body));
    const others = new Set(fields.filter(([name]) => !SECRET_FIELD.test(name)).map(([, value]) => value));
    for (const [name, value] of fields) {
      if (typeof value !== 'string' || !SECRET_FIELD.test(name) || others.has(value)) continue;
      if (name === 'key' && DOTTED_NAME.test(value)) continue;
      if (PASSWORD_FIELD.test(name) || !value.includes(' ')) this.add(value);
    }
    const { redirectUrl } = fieldsOf(body);
    if (typeof redirectUrl === 'string') this.#addQuery(redirectUrl, OF_A_PROVIDER);
  }
}

/** Programs that have been started, and resolve when all that they printed has been searched. */
export const programs = new Set<Promise<unknown>>();

/** Of all programs that this process starts. */
export const programSecrets = new SecretWatch();

/** Of ours; sign-on providers beside them tell what they like. */
const TELLING = /\/api\/v1\/(?:auth|setup|api-keys|user)\b/;

/** From now on `fetch` tells what passes through it. */
export const watchFetch = (): void => {
  const original = globalThis.fetch;
  globalThis.fetch = async (input, init) => {
    const headers = Object.fromEntries(new Headers(init?.headers));
    const path = input instanceof Request ? input.url : String(input);
    programSecrets.heard({ path, headers, body: typeof init?.body === 'string' ? init.body : undefined });
    const answer = await original(input, init);
    if (!TELLING.test(new URL(answer.url).pathname)) return answer;
    const text = answer.headers.get('content-type')?.includes('json') ? await answer.clone().text() : '';
    const cookies = answer.headers.getSetCookie().join('\n');
    const shown = { status: answer.status, cookies, headers: headerText(answer.headers), text };
    programSecrets.said(shown, `${init?.method ?? 'GET'} ${answer.url}`);
    return answer;
  };
};
