// The cover of a book without one is well-formed XML, whatever its title contains.

import { cardText } from '../../core/model/card-text.js';
import { titleCard } from '../../core/pages/title-card.js';
import { assert, block } from '../kit.js';

const textOf = (title: string): string => Buffer.from(titleCard(cardText(title, ''))).toString('utf8');

/** The characters of XML 1.0 (section 2.2). */
const ALLOWED = /^[\t\n\r\u{20}-\u{D7FF}\u{E000}-\u{FFFD}\u{10000}-\u{10FFFF}]*$/u;

block('title cards', (check) => {
  check('contain no character that XML forbids', () => {
    for (let code = 0; code <= 0x1_0000; code += 1)
      if (code < 0x100 || code >= 0xd7f0)
        assert.match(textOf(`a${String.fromCodePoint(code)}b`), ALLOWED, `U+${code.toString(16)}`);
  });
  check('keep what may be shown', () => {
    assert.match(textOf('霧 & <sea> 😀'), />霧 &amp; &lt;sea&gt; 😀</);
  });
});
