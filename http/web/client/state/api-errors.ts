// How errors of the API are explained: in English often in the server's own words, in another language by a sentence for the kind, followed
// by the server's sentence where that says more. Knows no document.

/** The answer to a request that failed; without a status if there was none. */
interface ApiError {
  readonly status: number;
  /** The word of its kind; '' for an answer that is not from the API. */
  readonly word: string;
  readonly message: string | null;
  readonly details: unknown;
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null;

const apiErrorIn = (thrown: unknown): ApiError => {
  const { status, data } = isObject(thrown) ? thrown : {};
  const { error, message, details = null } = isObject(data) ? data : {};
  return {
    status: typeof status === 'number' ? status : 0,
    word: typeof error === 'string' ? error : '',
    message: typeof message === 'string' ? message : null,
    details,
  };
};

/** The status of an answer that is an error; 0 when there was no answer. */
export const statusOf = (thrown: unknown): number => apiErrorIn(thrown).status;

const firstDetail = ({ details }: ApiError): Readonly<Record<string, unknown>> => {
  const [first] = Array.isArray(details) ? details : [details];
  return isObject(first) ? first : {};
};

const textIn = (thrown: unknown, key: string): string | null => {
  const value = firstDetail(apiErrorIn(thrown))[key];
  return typeof value === 'string' ? value : null;
};

/** The field that an error is about, by its name; null where it is about none. */
export const invalidFieldOf = (thrown: unknown): string | null => textIn(thrown, 'path');

/** Why a path cannot be used, by the code of the operating system; null where no code is given. */
export const pathCodeOf = (thrown: unknown): string | null => textIn(thrown, 'code');

/** Whether somebody was refused who gave the right password of an account that is disabled. */
export const isInactiveAccount = (thrown: unknown): boolean => textIn(thrown, 'reason') === 'inactive';

/** What is shown of an error. */
export interface Explanation {
  readonly text: string;
  /** What the server says of it, in English, where that says more. */
  readonly detail: string | null;
}

export interface ErrorMessages {
  /** By the word of the kind. */
  readonly kinds: Readonly<Record<string, string>>;
  readonly wait: (seconds: number) => string;
  readonly field: (label: string) => string;
  /** What fields of forms are called, by their names in the API. */
  readonly fields: Readonly<Record<string, string>>;
  readonly unreachable: string;
  readonly unknown: string;
}

/** What an explanation is put together from. */
export interface Wording {
  readonly messages: ErrorMessages;
  readonly isEnglish: boolean;
  /** What a screen says where the server says no more, instead of what is said of the kind. */
  readonly text?: string | undefined;
  /** What the kinds are called in English, as the server says them if it says no more. */
  readonly english: Readonly<Record<string, string>>;
}

/** Kinds of which the server may say more: which field is wrong, which limit was exceeded, what is in the way. */
export const SPECIFIC: ReadonlySet<string> = new Set([
  'BadRequest',
  'Forbidden',
  'Conflict',
  'UnsupportedFormat',
  'CorruptArchive',
  'EncryptedArchive',
  'EmptyBook',
  'CorruptPage',
  'LimitExceeded',
  'FileUnreadable',
  'StorageFull',
  'StorageFailed',
  'ProviderFailed',
  'CollectorFailed',
  'NotConfigured',
]);

/** Answers of a proxy that does not reach the server. */
const GATEWAY: ReadonlySet<number> = new Set([0, 502, 503, 504]);

const waitIn = (error: ApiError): number | null => {
  const seconds = firstDetail(error).retry_after;
  return error.word === 'TooManyRequests' && typeof seconds === 'number' ? seconds : null;
};

/** The last name in a path such as `scanningConfig.cronSchedule`, or in `tags[0]`. */
const fieldIn = (error: ApiError): string => {
  const { path } = firstDetail(error);
  return typeof path === 'string'
    ? (path
        .replace(/\[\d+\]$/, '')
        .split('.')
        .at(-1) ?? '')
    : '';
};

const textOf = (error: ApiError, { kinds, wait, field, fields, unreachable, unknown }: ErrorMessages): string => {
  const seconds = waitIn(error);
  if (seconds !== null) return wait(seconds);
  const label = error.word === 'BadRequest' ? fields[fieldIn(error)] : undefined;
  if (label !== undefined) return field(label);
  return kinds[error.word] ?? (GATEWAY.has(error.status) ? unreachable : unknown);
};

export const explanationOf = (thrown: unknown, { messages, isEnglish, english, text }: Wording): Explanation => {
  const error = apiErrorIn(thrown);
  const { word, message } = error;
  const isMore = SPECIFIC.has(word) && message !== null && message !== '' && message !== english[word];
  if (isMore && isEnglish) return { text: message, detail: null };
  return { text: text ?? textOf(error, messages), detail: isMore ? message : null };
};
