// Text beyond plain ASCII. Most names have none, so that rules for other scripts are not tried on them.

/** One such character; a pair of surrogates is two of them. */
const NOT_ASCII = /[\u0080-\uffff]/;

export const isAscii = (text: string): boolean => !NOT_ASCII.test(text);
