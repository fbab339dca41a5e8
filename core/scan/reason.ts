// Why a book could not be analysed, in a sentence for whoever looks at its status. What nobody foresaw stands in the log.
import type { Fault } from '../model/errors.js';

export const reasonOf = ({ kind, message }: Pick<Fault, 'kind' | 'message'>): string =>
  kind === 'Internal' ? 'The analysis failed; the log says why.' : message;
