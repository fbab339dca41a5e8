// Small parts that screens of several kinds share: they belong to the first chunk, as each of them would be a file of its own.
import '../messages/language-name.js';
import './account-fields.js';
import './checkbox.js';
import './choice.js';
import './download-link.js';
import './number-form.js';
import './page-typed.js';
