// Text for a terminal or a log. Names of files and folders may contain anything, and must not steer the terminal or pass for another line.

/** Control and format characters, line and paragraph separators, changes of the writing direction. */
const UNPRINTABLE = /[\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]/gu;

export const printable = (text: string): string => text.replace(UNPRINTABLE, '?');
