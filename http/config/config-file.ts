// The configuration file as plain values; it may be YAML or JSON. What they mean is not known here.
import { readFileSync } from 'node:fs';
import { AppError } from '../../core/model/errors.js';
import { LineCounter, parseDocument } from './yaml.js';

const FILE_BYTES = 1024 * 1024;

const readText = (file: string): string => {
  try {
    return readFileSync(file, 'utf8');
  } catch (thrown) {
    const reason = thrown instanceof Error ? thrown.message.split(',')[0] : String(thrown);
    throw new AppError('BadRequest', `The configuration file ${file} cannot be read (${reason}).`, null, thrown);
  }
};

/** The file as plain values. The parser's message is cut before any quotation, which might contain a secret. */
const parseTree = (file: string, text: string): unknown => {
  const lineCounter = new LineCounter();
  const document = parseDocument(text, { prettyErrors: false, lineCounter });
  const error = document.errors[0];
  if (error !== undefined) {
    const { line, col } = lineCounter.linePos(error.pos[0]);
    const words = error.message.split(/[:"'`\n]/)[0]?.trim();
    throw new AppError(
      'BadRequest',
      `The configuration file ${file} is not valid YAML: line ${line}, column ${col}: ${words}.`,
    );
  }
  try {
    return document.toJS({ maxAliasCount: 0 });
  } catch (thrown) {
    throw new AppError(
      'BadRequest',
      `The configuration file ${file} uses YAML aliases; write the values out.`,
      null,
      thrown,
    );
  }
};

export const treeOf = (file: string): unknown => {
  const text = readText(file);
  if (text.length > FILE_BYTES)
    throw new AppError('BadRequest', `The configuration file ${file} is larger than 1 MiB.`);
  return parseTree(file, text);
};
