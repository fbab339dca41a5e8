// Errors in the language of the page.
import { type Explanation, explanationOf } from '../state/api-errors.js';
import { language } from '../state/appearance.js';
import { errorsEn } from './errors-en.js';
import { t } from './messages.js';

interface Own {
  /** What the fields of a form are called, by their names in the API. */
  readonly fields?: Readonly<Record<string, string>>;
  /** What the screen says, followed by what the server says if that is more. */
  readonly text?: string;
}

export const explain = (thrown: unknown, { fields = {}, text }: Own = {}): Explanation => {
  const messages = { ...t.errors, fields: { ...t.errors.fields, ...fields } };
  return explanationOf(thrown, { messages, isEnglish: language === 'en', english: errorsEn.kinds, text });
};

/** What a screen says by itself. */
export const plainly = (text: string): Explanation => ({ text, detail: null });
