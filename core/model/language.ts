// Language tags (BCP 47): whether a text is one, and its canonical spelling.

const SHAPE = /^[a-z]{2,3}(?:-[a-z0-9]{1,8}){0,7}$/i;
/** A language after another (`zh-yue`) is a language of its own. */
const EXTENDED = /^[a-z]{2,3}-(?=[a-z]{3}(?:-|$))/i;

/** `EN_us` is `en-US`, `eng` is `en`, `zh-yue` is `yue`; null for anything that is not a tag. Only the shape is checked: `xx` is one. */
export const languageTag = (text: string): string | null => {
  const tag = text.trim().replaceAll('_', '-').replace(EXTENDED, '');
  if (!SHAPE.test(tag)) return null;
  try {
    return Intl.getCanonicalLocales(tag)[0] ?? null;
  } catch {
    return null; // looks like a tag but is none
  }
};
