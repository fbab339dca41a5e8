// Instants as clients write them: what is one, and which.
import { instantOf } from '../../core/model/instant.js';
import { assert, block } from '../kit.js';

const KNOWN: readonly (readonly [text: string, same: string])[] = [
  ['2026-01-31', '2026-01-31T00:00:00.000Z'],
  ['2024-02-29', '2024-02-29T00:00:00.000Z'],
  ['2026-01-31T12:00', '2026-01-31T12:00:00.000Z'],
  ['2026-01-31T12:00:05', '2026-01-31T12:00:05.000Z'],
  ['2026-01-31 12:00:05Z', '2026-01-31T12:00:05.000Z'],
  ['2026-01-31t12:00:05.5z', '2026-01-31T12:00:05.500Z'],
  ['2026-01-31T23:59:59.123456789Z', '2026-01-31T23:59:59.123Z'],
  ['2026-01-31T12:00:00+02:00', '2026-01-31T10:00:00.000Z'],
  ['2026-01-31T12:00:00-0530', '2026-01-31T17:30:00.000Z'],
  ['0050-03-01T00:00:00Z', '0050-03-01T00:00:00.000Z'],
];

const NONE = [
  '2026-02-31',
  '2026-02-31T00:00:00Z',
  '2025-02-29T00:00:00Z',
  '2026-04-31T10:00:00+02:00',
  '2026-13-01',
  '2026-00-10',
  '2026-01-00',
  '2026-01-31T24:00:00Z',
  '2026-01-31T12:60:00Z',
  '2026-01-31T12:00:00+99:00',
  '2026-01-31T12Z',
  '2026-1-3',
  '31.01.2026',
  ' 2026-01-31',
  '2026-01-31T12:00:00Z\n',
  '',
];

block('instants', (check) => {
  for (const [text, same] of KNOWN)
    check(`${text} is ${same}`, () => assert.is(new Date(instantOf(text) ?? Number.NaN).toISOString(), same));
  for (const text of NONE) check(`${JSON.stringify(text)} is none`, () => assert.is(instantOf(text), undefined));
});
