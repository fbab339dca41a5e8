// How e-reader sync says that something is wrong: the fields of the API, and the number by which this protocol names it.
import type { Reply } from '../server/adapter.js';
import { json } from '../surface/reply.js';
import type { ErrorView } from '../surface/surface.js';
import { orNull, record, text, whole, word } from '../surface/wire.js';

interface Fault {
  readonly status: number;
  readonly code: number;
  readonly word: string;
  readonly message: string;
}

/** Those that clients of this protocol know, which have statuses of their own. */
export const FAULTS = {
  taken: { status: 402, code: 2002, word: 'Conflict', message: 'Username is already registered.' },
  invalid: { status: 403, code: 2003, word: 'BadRequest', message: 'Invalid request' },
  document: { status: 403, code: 2004, word: 'BadRequest', message: "Field 'document' not provided." },
  closed: { status: 402, code: 2005, word: 'Forbidden', message: 'User registration is disabled.' },
} as const satisfies Readonly<Record<string, Fault>>;

/** The protocol has numbers for few statuses; of the others, the number is the status. */
const CODES: Readonly<Record<number, number>> = { 400: 103, 401: 2001, 403: 2003, 500: 2000, 503: 2000 };

export const SyncFault = record('SyncFault', {
  code: whole(2003),
  error: word(['Conflict', 'BadRequest', 'Forbidden']),
  message: text('Invalid request'),
  details: orNull(text('')),
});

/** `message` says more than the protocol does. */
export const faultReply = (fault: Fault, message: string = fault.message): Reply =>
  json(fault.status, { code: fault.code, error: fault.word, message, details: null });

export const syncErrorView: ErrorView = ({ status, word: error, message, details }) => ({
  type: 'application/json; charset=utf-8',
  text: JSON.stringify({ code: CODES[status] ?? status, error, message, details }),
});
