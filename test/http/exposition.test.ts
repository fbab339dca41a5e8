// Which form of the measurements a client gets.
import { textFormatFor } from '../../http/surface/exposition.js';
import { assert, block } from '../kit.js';

const PROMETHEUS =
  'application/openmetrics-text;version=1.0.0;q=0.6,application/openmetrics-text;version=0.0.1;q=0.5,text/plain;version=1.0.0;q=0.4,text/plain;version=0.0.4;q=0.3,*/*;q=0.1';
const BROWSER = 'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8';

block('form of the measurements', (check) => {
  for (const [accept, wanted] of [
    ['', null],
    ['*/*', null],
    [BROWSER, null],
    ['application/json', null],
    ['application/json, text/plain', null],
    ['application/json, text/plain, */*', null],
    ['text/plain;q=0.5, application/json;q=0.4', 'prometheus'],
    ['text/plain;q=0.4, application/json;q=0.5', null],
    ['text/plain', 'prometheus'],
    ['TEXT/PLAIN; version=0.0.4', 'prometheus'],
    ['text/*', 'prometheus'],
    ['text/plain;q=0', null],
    ['text/plain;q=much', null],
    ['application/openmetrics-text', 'openmetrics'],
    ['application/openmetrics-text, text/plain', 'openmetrics'],
    ['application/openmetrics-text;q=0.2, text/plain', 'prometheus'],
    [PROMETHEUS, 'openmetrics'],
  ] as const)
    check(`Accept: ${accept === '' ? '(none)' : accept}`, () => assert.is(textFormatFor(accept), wanted));
});
