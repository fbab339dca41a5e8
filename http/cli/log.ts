// The log: one line per event, on stderr. Messages for people at a terminal are text on stdout, unless the log is JSON: then it has them all.
// Only importer of pino.
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
  /** What people at a terminal wait for, such as the end of a scan. */
  announce(sentence: string, level?: 'info' | 'warn'): void;
}

type Facts = Readonly<Record<string, string | number>>;

interface Output {
  write(text: string): unknown;
}

export interface LogOutputs {
  readonly out: Output;
  /** For announcements as text. */
  readonly terminal: Output;
  /** Called before anything is written to one of them. */
  readonly beforeLine?: () => void;
}

const OWN_FIELDS: ReadonlySet<string> = new Set(['level', 'time', 'msg', 'stack']);

/** Turns a JSON line of pino into a line for people. */
const textLine = (line: string): string => {
  const fields = JSON.parse(line) as Record<string, unknown>;
  const facts = Object.entries(fields)
    .filter(([name]) => !OWN_FIELDS.has(name))
    .map(([name, value]) => ` ${name}=${String(value)}`)
    .join('');
  const time = new Date(Number(fields.time)).toISOString();
  const head = printable(`${time} ${String(fields.level).padEnd(5)} ${String(fields.msg)}${facts}`);
  return fields.stack === undefined
    ? `${head}\n`
    : `${head}\n${String(fields.stack).split('\n').map(printable).join('\n')}\n`;
};

/** A JSON line of pino as it is kept. */
const lineOf = (line: string): LogLine => {
  const { time, level, msg, stack, ...facts } = JSON.parse(line) as Record<string, unknown>;
  return {
    at: Number(time),
    level: String(level),
    message: String(msg),
    facts: facts as Facts,
    stack: stack === undefined ? null : String(stack),
  };
};

export const createLog = (
  logging: Config['logging'],
  { out, terminal, beforeLine = () => undefined }: LogOutputs,
): Log => {
  const recent = new RecentLog();
  const write = (line: string): void => {
    beforeLine();
    recent.add(lineOf(line));
    out.write(logging.format === 'json' ? line : textLine(line));
  };
  const formatters = { level: (level: string) => ({ level }) };
  const logger = pino({ level: logging.level, base: null, formatters }, { write });
  const announceAsText = (message: string, level: 'info' | 'warn' = 'info'): void => {
    beforeLine();
    terminal.write(`${message}\n`);
    recent.add({ at: Date.now(), level, message, facts: {}, stack: null });
  };
  return {
    isDebug: logging.level === 'debug',
    recent,
    debug: (sentence, facts = {}) => logger.debug(facts, sentence),
    info: (sentence, facts = {}) => logger.info(facts, sentence),
    warn: (sentence, facts = {}) => logger.warn(facts, sentence),
    error: (sentence, thrown, facts = {}) => logger.error({ ...facts, stack: traceOf(thrown) }, sentence),
    announce: logging.format === 'json' ? (sentence, level = 'info') => logger[level]({}, sentence) : announceAsText,
  };
};
