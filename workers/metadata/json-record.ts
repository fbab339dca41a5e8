// JSON of unknown structure: an object, and its fields as texts. Values of the wrong type count as absent.
import { decodeXml } from './xml.js';
import { cleanText } from './xml-node.js';

export type JsonRecord = Readonly<Record<string, unknown>>;

const BYTES_MAX = 4_000_000;

export const isRecord = (value: unknown): value is JsonRecord =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The object in the bytes, or null. */
export const parseRecord = (bytes: Uint8Array): JsonRecord | null => {
  if (bytes.length > BYTES_MAX) return null;
  try {
    const parsed: unknown = JSON.parse(decodeXml(bytes).replace(/^[^{]{0,100}(?=\{)/, ''));
    return isRecord(parsed) ? parsed : null;
  } catch {
    return null; // not JSON, or nested deeper than the stack
  }
};

/** A field by its name, ignoring case, as text; numbers are converted. */
export const fieldOf = (record: JsonRecord, name: string): string | null => {
  const key = Object.hasOwn(record, name)
    ? name
    : Object.keys(record).find((one) => one.toLowerCase() === name.toLowerCase());
  const value = key === undefined ? null : record[key];
  if (typeof value === 'number' && Number.isFinite(value)) return String(value);
  const text = typeof value === 'string' ? cleanText(value) : '';
  return text === '' ? null : text;
};

export const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
