// How much script a browser loads before the home screen can be shown: what the page names, and the messages of a language.
import { readFileSync, statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Built } from '../../http/web/client-files.js';
import { assert, block } from '../kit.js';

const FOLDER = fileURLToPath(new URL('../../http/client/', import.meta.url));
const MAX_BYTES = 70_000;

const built = JSON.parse(readFileSync(`${FOLDER}files.json`, 'utf8')) as Built;
const bytesOf = (name: string): number => statSync(`${FOLDER}${name}.gz`).size;
const sumOf = (names: readonly string[]): number => names.reduce((sum, name) => sum + bytesOf(name), 0);

/** Each language that is loaded when it is wanted, by its file of messages. */
const LANGUAGES = ['de'];

block('the script of the first screen', (check) => {
  check(`it has at most ${MAX_BYTES / 1000} kB (gzip), in each language`, () => {
    const english = sumOf([built.script, ...built.needed]);
    assert.ok(english > 10_000, 'the parts of the build are found');
    const more = LANGUAGES.map((language) => {
      const name = built.all.find((one) => one.startsWith(`${language}-`) && one.endsWith('.js'));
      assert.ok(name !== undefined, language);
      return bytesOf(name ?? '');
    });
    console.log(`script of the first screen: ${english} bytes (gzip), and ${Math.max(...more)} for another language`);
    assert.ok(english + Math.max(...more) <= MAX_BYTES, `${english} + ${Math.max(...more)}`);
  });
});
