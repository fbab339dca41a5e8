// Why a book could not be analysed, in one sentence for its status. Unexpected errors are only in the log.
import type { Fault } from '../model/errors.js';

export const reasonOf = ({ kind, message }: Pick<Fault, 'kind' | 'message'>): string =>
  kind === 'Internal' ? 'The analysis failed; the log says why.' : message;
