// The table in ARCHITECTURE.md of what the parsers below our code do by themselves. Run it to print the table.
import { argv } from 'node:process';
import { fileURLToPath } from 'node:url';
import { type Outcome, REFUSED, TAKEN } from './malformed.js';

const WORDS: Readonly<Record<string, string>> = {
  closed: 'closes the connection',
  ignored: 'no answer, closes after 10 s',
};

const isOurs = (outcome: Outcome): boolean => typeof outcome === 'number';

const said = (outcome: Outcome): string => {
  if (typeof outcome === 'number') return outcome === 200 || outcome === 404 ? 'taken' : `${outcome}, ours`;
  return WORDS[outcome] ?? outcome;
};

export const parserRefusals = (): string => {
  const rows = new Map<string, string[]>();
  for (const { what, uws, node } of [...REFUSED, ...TAKEN]) {
    if (isOurs(uws) && isOurs(node)) continue;
    const key = `| ${said(uws)} | ${said(node)} |`;
    rows.set(key, [...(rows.get(key) ?? []), what]);
  }
  const lines = [...rows].map(([key, what]) => `${key} ${what.join('; ')} |`);
  return ['| uWebSockets.js | node:http | Requests with |', '|---|---|---|', ...lines].join('\n');
};

if (argv[1] === fileURLToPath(import.meta.url)) console.log(parserRefusals());
