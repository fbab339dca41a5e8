// Named HTML 4 entities (24.2 to 24.4), which people also use in XML, where nothing declares them; and values that were escaped more than
// once.

/** From U+00A0 on, in order. */
const LATIN = `
  nbsp iexcl cent pound curren yen brvbar sect uml copy ordf laquo not shy reg macr deg plusmn sup2 sup3 acute micro
  para middot cedil sup1 ordm raquo frac14 frac12 frac34 iquest Agrave Aacute Acirc Atilde Auml Aring AElig Ccedil
  Egrave Eacute Ecirc Euml Igrave Iacute Icirc Iuml ETH Ntilde Ograve Oacute Ocirc Otilde Ouml times Oslash Ugrave
  Uacute Ucirc Uuml Yacute THORN szlig agrave aacute acirc atilde auml aring aelig ccedil egrave eacute ecirc euml
  igrave iacute icirc iuml eth ntilde ograve oacute ocirc otilde ouml divide oslash ugrave uacute ucirc uuml yacute
  thorn yuml
`;

const OTHERS = `
  OElig=Œ oelig=œ Scaron=Š scaron=š Yuml=Ÿ fnof=ƒ circ=ˆ tilde=˜ Alpha=Α Beta=Β Gamma=Γ Delta=Δ Epsilon=Ε Zeta=Ζ Eta=Η
  Theta=Θ Iota=Ι Kappa=Κ Lambda=Λ Mu=Μ Nu=Ν Xi=Ξ Omicron=Ο Pi=Π Rho=Ρ Sigma=Σ Tau=Τ Upsilon=Υ Phi=Φ Chi=Χ Psi=Ψ Omega=Ω
  alpha=α beta=β gamma=γ delta=δ epsilon=ε zeta=ζ eta=η theta=θ iota=ι kappa=κ lambda=λ mu=μ nu=ν xi=ξ omicron=ο pi=π
  rho=ρ sigmaf=ς sigma=σ tau=τ upsilon=υ phi=φ chi=χ psi=ψ omega=ω thetasym=ϑ upsih=ϒ piv=ϖ ensp=\u2002 emsp=\u2003
  thinsp=\u2009 zwnj=\u200c zwj=\u200d lrm=\u200e rlm=\u200f ndash=– mdash=— lsquo=‘ rsquo=’ sbquo=‚ ldquo=“ rdquo=”
  bdquo=„ dagger=† Dagger=‡ bull=• hellip=… permil=‰ prime=′ Prime=″ lsaquo=‹ rsaquo=› oline=‾ frasl=⁄ euro=€ image=ℑ
  weierp=℘ real=ℜ trade=™ alefsym=ℵ larr=← uarr=↑ rarr=→ darr=↓ harr=↔ crarr=↵ lArr=⇐ uArr=⇑ rArr=⇒ dArr=⇓ hArr=⇔
  forall=∀ part=∂ exist=∃ empty=∅ nabla=∇ isin=∈ notin=∉ ni=∋ prod=∏ sum=∑ minus=− lowast=∗ radic=√ prop=∝ infin=∞ ang=∠
  and=∧ or=∨ cap=∩ cup=∪ int=∫ there4=∴ sim=∼ cong=≅ asymp=≈ ne=≠ equiv=≡ le=≤ ge=≥ sub=⊂ sup=⊃ nsub=⊄ sube=⊆ supe=⊇
  oplus=⊕ otimes=⊗ perp=⊥ sdot=⋅ lceil=⌈ rceil=⌉ lfloor=⌊ rfloor=⌋ lang=〈 rang=〉 loz=◊ spades=♠ clubs=♣ hearts=♥ diams=♦
`;

const wordsOf = (text: string): readonly string[] => text.trim().split(/[ \n]+/);

const XML: readonly (readonly [name: string, character: string])[] = [
  ['amp', '&'],
  ['lt', '<'],
  ['gt', '>'],
  ['quot', '"'],
  ['apos', "'"],
];

const CHARACTERS: ReadonlyMap<string, string> = new Map([
  ...XML,
  ...wordsOf(LATIN).map((name, index) => [name, String.fromCharCode(0xa0 + index)] as const),
  ...wordsOf(OTHERS).map((word) => [word.slice(0, -2), word.slice(-1)] as const),
]);

/** The character of a name as in `&eacute;`, without its delimiters; undefined for a name that HTML 4 does not define. */
export const namedCharacter = (name: string): string | undefined => CHARACTERS.get(name);

export const characterOf = (reference: string): string => {
  const code = /^#x/i.test(reference) ? Number.parseInt(reference.slice(2), 16) : Number(reference.slice(1));
  return code > 0 && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff) ? String.fromCodePoint(code) : '';
};

const REFERENCE = /&(#x[0-9a-f]{1,6}|#\d{1,7}|[a-z][a-z0-9]{1,9});/gi;

/** Spaces and hyphens that only matter for typesetting. */
const PLAIN: ReadonlyMap<string, string> = new Map([
  ['nbsp', ' '],
  ['shy', ''],
]);

/** Resolves references in a plain text; what is none stays, since it is text: `AT&T;`. */
export const withoutReferences = (text: string): string =>
  text.includes('&')
    ? text.replace(REFERENCE, (whole, body: string) =>
        body.startsWith('#') ? characterOf(body) : (PLAIN.get(body) ?? namedCharacter(body) ?? whole),
      )
    : text;

/** A value that passed through several programs, each of which escaped it. */
const ESCAPED_TIMES_MAX = 4;

const untilPlain = (text: string, step: (text: string) => string): string => {
  let plain = text;
  for (let times = 0; times < ESCAPED_TIMES_MAX && plain.includes('&'); times += 1) {
    const next = step(plain);
    if (next === plain) break;
    plain = next;
  }
  return plain;
};

/** A title, a name or a list of them: `Tom &amp; Jerry` can only have been escaped once too often. */
export const unescaped = (value: string): string => untilPlain(value, withoutReferences);

/** In a text about these, references are part of the text. */
const ABOUT_MARKUP = /\b(?:x?html5?|xml|markup|ampersands?)\b/i;

/** A summary as plain text. */
export const unescapedText = (text: string): string => (ABOUT_MARKUP.test(text) ? text : unescaped(text));
