// Text for a terminal or a log. File and folder names may contain anything, but must not send escape sequences or fake a line.

/** Control characters, line and paragraph separators, and characters that change the writing direction. */
const UNPRINTABLE = /[\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]/gu;

export const printable = (text: string): string => text.replace(UNPRINTABLE, '?');

export const counted = (count: number, thing: string): string => `${count} ${thing}${count === 1 ? '' : 's'}`;
