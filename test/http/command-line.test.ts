// The command line: what arguments mean, and what is said about those that mean nothing.
import { type Command, parseCommandLine, TOPICS } from '../../http/cli/command-line.js';
import { helpText } from '../../http/cli/help.js';
import { assert, block } from '../kit.js';

const parse = (line: string): Command => parseCommandLine(line === '' ? [] : line.split(' '));

const WRONG: readonly (readonly [string, readonly string[]])[] = [
  ['chekc', ['no command chekc', 'check', './chekc']],
  ['backups', ['backup', './backups']],
  ['--prot 1', ['no option --prot', '--port']],
  ['-x', ['no option -x']],
  ['--no-json', ['no option --no-json']],
  ['--port', ['--port needs a value']],
  ['--port=', ['--port needs a value']],
  ['--data --host x', ['--data needs a value', '--data=--host']],
  ['--port 70000', ['0 to 65535', 'option --port', '70000']],
  ['--port http', ['0 to 65535', '"http"']],
  ['scan', ['longbox scan DIR']],
  ['scan a b', ['"b" is one argument too many']],
  ['scan a --port 1', ['scan has no option --port', '--json']],
  ['serve --json', ['serve has no option --json']],
  ['scan a --json=yes', ['--json takes no value']],
  ['check now', ['"now" is one argument too many']],
  ['backup', ['longbox backup FILE']],
  ['restore', ['longbox restore FILE']],
  ['user', ['longbox user reset-password NAME']],
  ['user delete anna', ['no command user delete', 'user reset-password']],
  ['user reset-password', ['longbox user reset-password NAME']],
  ['openapi --format xml', ['json or yaml', '"xml"']],
  ['config x', ['one argument too many']],
];

const bare = { configFile: null, overrides: [] };
const override = (key: string, option: string, text: string) => ({ key, text, from: `option --${option}` });

const RIGHT: readonly (readonly [string, unknown])[] = [
  ['', { name: 'serve', folders: [], ...bare }],
  ['/a ./b', { name: 'serve', folders: ['/a', './b'], ...bare }],
  ['serve check scan', { name: 'serve', folders: ['check', 'scan'], ...bare }],
  ['comics manga', { name: 'serve', folders: ['comics', 'manga'], ...bare }],
  ['./scan', { name: 'serve', folders: ['./scan'], ...bare }],
  ['-- scan -x', { name: 'serve', folders: ['scan', '-x'], ...bare }],
  [
    '--port 9000 serve /a',
    { name: 'serve', folders: ['/a'], configFile: null, overrides: [override('application.port', 'port', '9000')] },
  ],
  [
    '/a --data d --host=::1 --port 0 -c f.yaml',
    {
      name: 'serve',
      folders: ['/a'],
      configFile: 'f.yaml',
      overrides: [
        override('data_dir', 'data', 'd'),
        override('application.host', 'host', '::1'),
        override('application.port', 'port', '0'),
      ],
    },
  ],
  [
    '--port 1 --port 2',
    { name: 'serve', folders: [], configFile: null, overrides: [override('application.port', 'port', '2')] },
  ],
  ['scan scan', { name: 'scan', folder: 'scan', json: false, strict: false, ...bare }],
  ['--json scan /a', { name: 'scan', folder: '/a', json: true, strict: false, ...bare }],
  ['scan /a --strict', { name: 'scan', folder: '/a', json: false, strict: true, ...bare }],
  ['openapi -o -', { name: 'openapi', output: '-', format: 'json' }],
  ['check --config=x', { name: 'check', configFile: 'x', overrides: [] }],
  ['backup out.db', { name: 'backup', file: 'out.db', ...bare }],
  [
    'restore out.db --data d',
    { name: 'restore', file: 'out.db', configFile: null, overrides: [override('data_dir', 'data', 'd')] },
  ],
  ['user reset-password anna', { name: 'reset-password', userName: 'anna', ...bare }],
  ['openapi', { name: 'openapi', output: 'openapi.json', format: 'json' }],
  ['openapi --output a.yaml', { name: 'openapi', output: 'a.yaml', format: 'yaml' }],
  ['openapi -o a.txt -f yaml', { name: 'openapi', output: 'a.txt', format: 'yaml' }],
  ['--version', { name: 'version' }],
  ['-h', { name: 'help', topic: null }],
  ['help', { name: 'help', topic: null }],
  ['help scan', { name: 'help', topic: 'scan' }],
  ['scan --help', { name: 'help', topic: 'scan' }],
  ['serve -h --port x', { name: 'help', topic: 'serve' }],
  ['user --help', { name: 'help', topic: 'user' }],
  ['config', { name: 'help', topic: 'config' }],
];

block('command line', (check) => {
  for (const [line, words] of WRONG) {
    check(`"${line}" is refused with a message`, () => {
      const command = parse(line);
      const message = command.name === 'wrong' ? command.message : `not refused: ${JSON.stringify(command)}`;
      for (const word of words) assert.ok(message.includes(word), `${message}\nlacks ${word}`);
    });
  }
  check('an option that resembles none is not compared with one', () => {
    for (const line of ['-x', '--folder x']) {
      const command = parse(line);
      assert.not.match(command.name === 'wrong' ? command.message : 'closest', /closest/);
    }
  });
  check('an empty argument is refused', () => assert.is(parseCommandLine(['scan', '']).name, 'wrong'));
  for (const [line, want] of RIGHT) check(`"${line}" is understood`, () => assert.equal(parse(line), want));
  check('a folder name may contain spaces', () => {
    assert.equal(parseCommandLine(['My Comics']), { name: 'serve', folders: ['My Comics'], ...bare });
  });
  for (const topic of [null, ...TOPICS]) {
    check(`the help for ${topic ?? 'everything'} fits 80 columns and shows an example early`, () => {
      const lines = helpText(topic).split('\n');
      assert.equal(
        lines.filter((line) => line.length > 80),
        [],
      );
      const example = lines.findIndex((line) => line.startsWith('Example'));
      assert.ok(example > 0 && example < 8);
    });
  }
});
