// The log: one line per event, on stderr; stdout is for the ready line and the progress line. Only importer of pino.
// Never given headers, queries, tokens or bodies: what is not passed in cannot leak.
import pino from 'pino';
import { traceOf } from '../../core/model/errors.js';
import type { Config } from '../config/config.js';
import { type LogLine, RecentLog } from '../surface/recent-log.js';
import { printable } from './printable.js';

export interface Log {
  readonly isDebug: boolean;
  /** The last lines. */
  readonly recent: RecentLog;
  debug(sentence: string, facts?: Facts): void;
  info(sentence: string, facts?: Facts): void;
  warn(sentence: string, facts?: Facts): void;
  error(sentence: string, thrown: unknown, facts?: Facts): void;
  /** Keeps a line among the last ones that was printed elsewhere. */
  keep(level: 'info' | 'warn', sentence: string): void;
}

type Facts = Readonly<Record<string, string | number>>;

interface Output {
  write(text: string): unknown;
}

const LEVELS: Readonly<Record<number, string>> = { 20: 'debug', 30: 'info', 40: 'warn', 50: 'error' };
const OWN_FIELDS: ReadonlySet<string> = new Set(['level', 'time', 'msg', 'stack']);

/** Turns a JSON line of pino into a line for people. */
const textLine = (line: string): string => {
  const fields = JSON.parse(line) as Record<string, unknown>;
  const facts = Object.entries(fields)
    .filter(([name]) => !OWN_FIELDS.has(name))
    .map(([name, value]) => ` ${name}=${String(value)}`)
    .join('');
  const time = new Date(Number(fields.time)).toISOString();
  const head = printable(`${time} ${(LEVELS[Number(fields.level)] ?? 'info').padEnd(5)} ${String(fields.msg)}${facts}`);
  return fields.stack === undefined
    ? `${head}\n`
    : `${head}\n${String(fields.stack).split('\n').map(printable).join('\n')}\n`;
};

/** A JSON line of pino as it is kept. */
const lineOf = (line: string): LogLine => {
  const { time, level, msg, stack, ...facts } = JSON.parse(line) as Record<string, unknown>;
  return {
    at: Number(time),
    level: LEVELS[Number(level)] ?? 'info',
    message: String(msg),
    facts: facts as Facts,
    stack: stack === undefined ? null : String(stack),
  };
};

export const createLog = (logging: Config['logging'], out: Output, beforeLine: () => void = () => undefined): Log => {
  const recent = new RecentLog();
  const write = (line: string): void => {
    beforeLine();
    recent.add(lineOf(line));
    out.write(logging.format === 'json' ? line : textLine(line));
  };
  const logger = pino({ level: logging.level, base: null }, { write });
  return {
    isDebug: logging.level === 'debug',
    recent,
    debug: (sentence, facts = {}) => logger.debug(facts, sentence),
    info: (sentence, facts = {}) => logger.info(facts, sentence),
    warn: (sentence, facts = {}) => logger.warn(facts, sentence),
    error: (sentence, thrown, facts = {}) => logger.error({ ...facts, stack: traceOf(thrown) }, sentence),
    keep: (level, message) => recent.add({ at: Date.now(), level, message, facts: {}, stack: null }),
  };
};
