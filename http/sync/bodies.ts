// Reads what e-readers send, leniently: any media type, unknown fields, numbers as text and text as numbers. What is stored is returned as it
// was sent, so whatever could not be is refused.
import type { NewDevice } from '../../core/access/device-registration.js';
import type { Reported } from '../../core/sync/documents.js';
import { parseJson } from '../surface/validate.js';
import { FAULTS } from './faults.js';

export type Refused = { readonly fault: (typeof FAULTS)[keyof typeof FAULTS]; readonly message?: string };

const LENGTH_MAX = { document: 255, progress: 4096, device: 255 } as const;

/** Control characters end texts early in other programs, and half of a pair cannot be written in UTF-8. */
const isClean = (text: string): boolean => text.isWellFormed() && !/\p{Cc}/u.test(text);

const isText = (value: unknown, max: number): value is string =>
  typeof value === 'string' && value !== '' && value.length <= max && isClean(value);

/** A colon is refused as by other servers of this protocol; the others could not be asked for by an address. */
export const isDocument = (value: unknown): value is string =>
  isText(value, LENGTH_MAX.document) && !/[:/\\]/.test(value) && !/^\.{1,2}$/.test(value);

const numberIn = (value: unknown): number | undefined => {
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  return typeof number === 'number' && Number.isFinite(number) ? number : undefined;
};

type Fields = Readonly<Record<string, unknown>>;

const objectIn = (body: Uint8Array): Fields | undefined => {
  const value = parseJson(body, '');
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : undefined;
};

const invalid = (message?: string): Refused => ({
  fault: FAULTS.invalid,
  ...(message === undefined ? {} : { message }),
});

/** The report in a body, or why there is none. */
export const reportIn = (body: Uint8Array): Reported | Refused => {
  const fields = objectIn(body);
  if (fields === undefined) return invalid('The body is not an object.');
  const { document, progress: sent, device, device_id: deviceId = null } = fields;
  if (!isDocument(document)) return { fault: FAULTS.document };
  const [progress, percentage] = [typeof sent === 'number' ? String(sent) : sent, numberIn(fields.percentage)];
  if (!isText(progress, LENGTH_MAX.progress)) return invalid("Field 'progress' is missing or unusable.");
  if (percentage === undefined) return invalid("Field 'percentage' is missing or no number.");
  if (!isText(device, LENGTH_MAX.device)) return invalid("Field 'device' is missing or unusable.");
  if (deviceId !== null && deviceId !== '' && !isText(deviceId, LENGTH_MAX.device))
    return invalid("Field 'device_id' is unusable.");
  return { document, progress, percentage, device, deviceId };
};

const isName = (value: unknown): value is string => typeof value === 'string' && value !== '' && !value.includes(':');

/** The account in a body; undefined when it lacks a name or a password, or has a colon in the name. */
export const deviceIn = (body: Uint8Array): NewDevice | undefined => {
  const { username, password: key } = objectIn(body) ?? {};
  return isName(username) && typeof key === 'string' && key !== '' ? { username, key } : undefined;
};
