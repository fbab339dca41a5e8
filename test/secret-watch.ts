// Secrets that tests use, and a search for them in everything that servers say: what they log, their faults, their errors, and later answers.
// Only what a process has seen in requests and answers is known, and whatever has the shape of a secret of ours.
import { inspect } from 'node:util';

/** Of one server, or of all programs of a process. More are not kept: the oldest are forgotten. */
const SECRETS_MAX = 3000;
/** Shorter ones may be parts of ordinary words. */
const LENGTH_MIN = 8;
const SHOWN_BYTES = 64 * 1024;
const LOG_MAX = 10_000;

/** A signed token, an API key, a hash of a password, a link of a mail. */
const SHAPES = /\beyJ[\w-]{10,}\.eyJ[\w-]*\.[\w-]{20,}|\bsvc_[\w-]{6,}_[\w-]{30,}|\$argon2\w+\$|#token=[\w-]{20,}/;
/** Two refreshes within a second make the same access token. */
const ISSUING = /\/auth\/(?:login|refresh)\b/;
const SECRET_FIELD = /^(?:\w*password|\w*token|\w*secret|key)$/i;
const PASSWORD_FIELD = /password$/i;
/** As `key`, the name of a setting or of a preference. */
const DOTTED_NAME = /^\w+(?:\.\w+)+$/;

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

interface Listeners {
  readonly onFault: (thrown: unknown) => unknown;
  readonly onNote: (sentence: string) => unknown;
  readonly onWarning: (sentence: string) => unknown;
}

export interface Heard {
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

export interface Said {
  readonly status: number;
  /** Set-Cookie; '' for none. */
  readonly cookies: string;
  readonly text: string;
}

export class SecretWatch {
  readonly #secrets = new Set<string>();
  readonly #log: string[] = [];

  add(secret: string): void {
    if (secret.length < LENGTH_MIN || this.#secrets.has(secret)) return;
    if (this.#secrets.size >= SECRETS_MAX) this.#secrets.delete(this.#secrets.values().next().value ?? '');
    this.#secrets.add(secret);
  }

  heard({ headers = {}, body }: Heard): void {
    const { authorization = '', cookie = '' } = headers;
    const [, scheme = '', value = ''] = /^(\w+) +(\S+)$/.exec(authorization) ?? [];
    if (/^bearer$/i.test(scheme)) this.add(value);
    if (/^basic$/i.test(scheme)) this.add(Buffer.from(value, 'base64').toString().split(':').slice(1).join(':'));
    this.add(headers['x-api-key'] ?? '');
    this.#addCookies(cookie);
    // An upload has no fields.
    if (!Buffer.isBuffer(body)) this.#addFields(typeof body === 'string' ? parsed(body) : body);
  }

  /** An answer may tell a secret once, and an error none at all. */
  said({ status, cookies, text }: Said, where: string): void {
    const isSearched = status >= 400 || (text.length <= SHOWN_BYTES && !ISSUING.test(where));
    if (isSearched) this.search(text, `the answer ${status} to ${where}`, status >= 400);
    if (status >= 400) return;
    for (const line of cookies.split('\n')) this.#addCookies(line.split(';')[0] ?? '');
    if (text.startsWith('{') && text.length <= SHOWN_BYTES) this.#addFields(parsed(text));
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
    if (this.#log.length < LOG_MAX) this.#log.push(typeof said === 'string' ? said : inspect(said, { depth: 6 }));
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
  }
}

/** Of all programs that this process starts. */
export const programSecrets = new SecretWatch();

const TELLING = /\/(?:auth|setup|api-keys|user)\b/;

/** From now on `fetch` tells what passes through it. */
export const watchFetch = (): void => {
  const original = globalThis.fetch;
  globalThis.fetch = async (input, init) => {
    const headers = Object.fromEntries(new Headers(init?.headers));
    programSecrets.heard({ headers, body: typeof init?.body === 'string' ? init.body : undefined });
    const answer = await original(input, init);
    if (!TELLING.test(new URL(answer.url).pathname) || !answer.headers.get('content-type')?.includes('json'))
      return answer;
    const text = await answer.clone().text();
    const cookies = answer.headers.getSetCookie().join('\n');
    programSecrets.said({ status: answer.status, cookies, text }, `${init?.method ?? 'GET'} ${answer.url}`);
    return answer;
  };
};
