// The command line: reads arguments and configuration, runs one command, turns what it throws into an exit code.
import { writeFileSync } from 'node:fs';
import { AppError } from '../../core/model/errors.js';
import { releaseText } from '../../core/upkeep/release.js';
import { API, ROOT } from '../api/surface.js';
import { type Config, loadConfig } from '../config/config.js';
import { toYaml } from '../config/yaml.js';
import { toOpenApi } from '../docs/openapi.js';
import { type Command, parseCommandLine, type Setting, USAGE_EXIT } from './command-line.js';
import { backupCommand, checkCommand, resetPasswordCommand, restoreCommand } from './commands.js';
import { helpText } from './help.js';
import { printable } from './printable.js';
import { scanCommand } from './scan-command.js';
import { serve, UnknownWord } from './serve.js';

const configOf = ({ configFile, overrides }: Setting): Config =>
  loadConfig({ file: configFile, environment: process.env, overrides });

const say = (text: string): number => {
  process.stdout.write(text.endsWith('\n') ? text : `${text}\n`);
  return 0;
};

const writeDescription = (output: string, format: 'json' | 'yaml'): number => {
  const description = toOpenApi([API, ROOT], releaseText());
  const text = format === 'json' ? `${JSON.stringify(description, null, 2)}\n` : toYaml(description);
  if (output === '-') return say(text);
  writeFileSync(output, text);
  return say(`wrote ${output}`);
};

const execute = async (command: Command): Promise<number> => {
  switch (command.name) {
    case 'serve':
      return serve({ config: configOf(command), folders: command.folders, version: releaseText() });
    case 'scan':
      return scanCommand(configOf(command), command);
    case 'check':
      return checkCommand(configOf(command));
    case 'backup':
      return backupCommand(configOf(command), command.file);
    case 'restore':
      return restoreCommand(configOf(command), command.file);
    case 'reset-password':
      return resetPasswordCommand(configOf(command), command.userName);
    case 'openapi':
      return writeDescription(command.output, command.format);
    case 'help':
      return say(helpText(command.topic));
    case 'version':
      return say(releaseText());
    case 'wrong':
      process.stderr.write(`${command.message}\n`);
      return USAGE_EXIT;
  }
};

/** The reader of our output may go away (a closed terminal, `| head`): that ends the output, not the server. */
const surviveClosedOutput = (): void => {
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);
};

/** Messages for the owner are printed alone; only unexpected errors come with their stack. */
export const main = async (argv: readonly string[]): Promise<number> => {
  surviveClosedOutput();
  try {
    return await execute(parseCommandLine(argv));
  } catch (thrown) {
    const foreseen = thrown instanceof AppError && thrown.kind !== 'Internal';
    const said = foreseen
      ? thrown.message
      : thrown instanceof Error
        ? (thrown.stack ?? thrown.message)
        : String(thrown);
    process.stderr.write(`longbox: ${said.split('\n').map(printable).join('\n')}\n`);
    return thrown instanceof UnknownWord ? USAGE_EXIT : 1;
  }
};
