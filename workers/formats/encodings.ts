// The encodings besides UTF-8 in which names occur in archives, and how plausible it is that some bytes are text in one of them. Each
// character scores points: frequent ones in names of that language gain, rare ones lose.
import { decodeKorean } from './korean.js';

export interface Encoding {
  /** The text; undefined where the bytes are not valid. */
  decode(bytes: Uint8Array): string | undefined;
  /** How much the bytes look like text of this encoding; may be negative. Only asked for bytes that decode. */
  points(bytes: Uint8Array, text: string): number;
}

const CP437 =
  'ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜ¢£¥₧ƒáíóúñÑªº¿⌐¬½¼¡«»░▒▓│┤╡╢╖╕╣║╗╝╜╛┐└┴┬├─┼╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀αßΓπΣσµτΦΘΩδ∞φε∩≡±≥≤⌠⌡÷≈°∙·√ⁿ²■\u00a0';

/** Every byte has a meaning, so this never fails. A backslash between a high byte and an extension must be half of a character. */
export const cp437 = (bytes: Uint8Array): string =>
  Array.from(bytes, (byte, at) => {
    if (byte === 0x5c && (bytes[at - 1] ?? 0) >= 0x80 && bytes[at + 1] === 0x2e) return '＼';
    return byte < 0x80 ? String.fromCharCode(byte) : (CP437[byte - 0x80] ?? '\ufffd');
  }).join('');

/** What Windows-1252 has at 0x80 to 0x9F; some releases of Node decode it as Latin-1, which has control characters there. */
const WINDOWS_SIGNS = '€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008dŽ\u008f\u0090‘’“”•–—˜™š›œ\u009džŸ';

export const withWindowsSigns = (text: string): string =>
  text.replace(/[\u0080-\u009f]/g, (char) => WINDOWS_SIGNS[char.charCodeAt(0) - 0x80] ?? '');

/** Every byte has a meaning here too. */
export const windows1252 = (bytes: Uint8Array): string =>
  withWindowsSigns(new TextDecoder('windows-1252').decode(bytes));

const decoderOf = (label: string): Encoding['decode'] => {
  const decoder = new TextDecoder(label, { fatal: true });
  return (bytes) => {
    try {
      return decoder.decode(bytes);
    } catch {
      return undefined; // not in this encoding: the answer, not a failure
    }
  };
};

const isLetter = (byte = 0): boolean => (byte >= 0x41 && byte <= 0x5a) || (byte >= 0x61 && byte <= 0x7a);

/** Points of a pair by its bytes alone: the rows of these encodings are sorted by how common their characters are. */
type PairPoints = (lead: number, trail: number) => number;

const COMMON = 4;
const PLAIN = 2;
const NEUTRAL = 0;
const RARE = -1.5;
const NONSENSE = -4;

interface Pairs {
  readonly pair: PairPoints;
  /** Characters that are frequent in names of this language. */
  readonly common: ReadonlySet<string>;
  /** Bytes above 0x7F that are characters by themselves. */
  readonly isSingle?: (byte: number) => boolean;
}

/** An accented letter followed by an ASCII letter also reads as a pair; then it stands in the middle of a Latin word. */
const isInsideWord = (bytes: Uint8Array, at: number): boolean =>
  isLetter(bytes[at + 1]) && (isLetter(bytes[at + 2]) || (at > 0 && isLetter(bytes[at - 1])));

const SINGLES_MIN = 3;

/** Half-width kana are written in rows; one or two of them are the halves of something else. */
const pointsOfSingles = (run: number): number => (run >= SINGLES_MIN ? run * 0.6 : -run);

const pointsOfPairs = ({ pair, common, isSingle = () => false }: Pairs): Encoding['points'] => {
  return (bytes, text) => {
    let points = 0;
    let run = 0;
    let isAfterPair = false;
    for (let at = 0; at < bytes.length; at += 1) {
      const lead = bytes[at] ?? 0;
      if (lead >= 0x80 && isSingle(lead)) {
        run += 1;
        isAfterPair = false;
        continue;
      }
      points += pointsOfSingles(run);
      run = 0;
      if (lead < 0x80) {
        isAfterPair = false;
        continue;
      }
      const isLatin = isInsideWord(bytes, at) && !isAfterPair;
      points += isLatin ? NONSENSE : pair(lead, bytes[at + 1] ?? 0);
      isAfterPair = true;
      at += 1;
    }
    points += pointsOfSingles(run);
    for (const char of text) if (common.has(char)) points += COMMON - PLAIN;
    return points;
  };
};

const inRange = (value: number, from: number, to: number): boolean => value >= from && value <= to;

const HANZI =
  '的一是不在有我他这中大来上个国到说们为子和你地出道也时年得就那要下以生会自着去之过家学对可里后小么心多天而能好都然没日于起还发成事只作当想看文无开手十用主行方又如前所本见经头面公同三已老从动两长知民样现分将外但身些与高意进把法此实回二理美点月明其种声全工己话儿者向情部正名定女问力机给等几很业最间新什打便位因重被走电四第门相次东政海口使教西再平真听世气信北少关并内加化由却代军产入先山五太水万市眼体别处总才场师书比住员九笑性通目华报立马命张活难神数件安表原车白应路期叫死常提感金何更反合放做系计或司利受光王果亲界及今京务制解各任至清物台象记边共风战干接它许八特觉望直服毛林题建南度统色字请交爱让认算论百吃义科怎元社术结六功指思非流每青管夫连远资队跟带花快条院变联言权往展该领传近留红治决周保达办运武半候七必城父强步完革深区即求品士转量空甚众技轻程告江语英基派满式李息写呢识极令黄德收脸钱党倒未持取设始版双历越史商千片容研像找友孩站广改议形委早房音火际则首单据导影失拿网香似斯专石若兵弟谁校读志飞观争究包组造落视济喜离虽坏兴切册卷页封面番外彩插图漫画完结全集扉录附赠特典';
const HANZI_TRADITIONAL =
  '的一是不在有我他這中大來上個國到說們為子和你地出道也時年得就那要下以生會自著去之過家學對可裡後小麼心多天而能好都然沒日於起還發成事只作當想看文無開手十用主行方又如前所本見經頭面公同三已老從動兩長知民樣現分將外但身些與高意進把法此實回二理美點月明其種聲全工己話兒者向情部正名定女問力機給等幾很業最間新什打便位因重被走電四第門相次東政海口使教西再平真聽世氣信北少關並內加化由卻代軍產入先山五太水萬市眼體別處總才場師書比住員九笑性通目華報立馬命張活難神數件安表原車白應路期叫死常提感金何更反合放做系計或司利受光王果親界及今京務制解各任至清物台象記邊共風戰幹接它許八特覺望直服毛林題建南度統色字請交愛讓認算論百吃義科怎元社術結六功指思非流每青管夫連遠資隊跟帶花快條院變聯言權往展該領傳近留紅治決周保達辦運武半候七必城父強步完革深區即求品士轉量空甚眾技輕程告江語英基派滿式李息寫呢識極令黃德收臉錢黨倒未持取設始版雙歷越史商千片容研像找友孩站廣改議形委早房音火際則首單據導影失拿網香似斯專石若兵弟誰校讀志飛觀爭究包組造落視濟喜離雖壞興切冊卷頁封番彩插圖漫畫扉錄附贈典';
const HANGUL =
  '가각간감강개거건검게격결경계고공과관광교구국군권귀그글금급기길김나날남내너네년노녀는니님다단달당대더데도동두드등디때라란람랑래러레려력로록론료루르른를리린림마만말망매머메면명모목몰무문물미민바박반발방배백번법베별보복본부북분불비빌빛사산살상새색생서선설섬성세소속손송수숙순술스슬시식신실심아악안알암애야약양어언얼업에여역연열영예오온올와완왕외요용우운울원월위유은을음의이인일임입자작잔장재저적전절점정제조족종좌주죽중즈지직진집차참창책천철첫청체초총최추축출충치친칠카크키타탄태터토통트특파판페편평포표품프피하학한할함합해행향험현혈형호혼화환황회후흑희히권화편표지외전완결상중하';
const KANJI =
  '一二三四五六七八九十百千第話巻章回表紙裏扉口絵目次奥付本編外伝特典番雑誌単行集全完結上中下前後左右大小人年月日時分間新旧初最終版話数枚頁白黒赤青男女子学校生先春夏秋冬東西南北京都山川海空風花火水木金土国家世界王姫神魔法剣士戦物語夢恋愛心手足目口耳私僕君彼彼女何今昔名無題作者画原漫同人';

const set = (text: string): ReadonlySet<string> => new Set(text);
const KANA_AND_KANJI: ReadonlySet<string> = set(KANJI);

/** GB 2312 has the common characters first (B0 to D7), GBK added rare ones around them; AA to AF and F8 to FE are for private use. */
const gbkPair: PairPoints = (lead, trail) => {
  if (trail < 0x40) return RARE; // four bytes
  if (trail < 0xa1) return lead <= 0xa0 || lead >= 0xaa ? RARE : NEUTRAL;
  if (inRange(lead, 0xb0, 0xd7)) return PLAIN;
  if (inRange(lead, 0xd8, 0xf7)) return 0.5;
  if (lead === 0xa1 || lead === 0xa3) return 1;
  return inRange(lead, 0xa2, 0xa9) ? NEUTRAL : NONSENSE;
};

const big5Pair: PairPoints = (lead) => {
  if (inRange(lead, 0xa4, 0xc6)) return PLAIN;
  if (inRange(lead, 0xa1, 0xa3)) return 0.5;
  return inRange(lead, 0xc9, 0xf9) ? 0.25 : RARE;
};

/** Syllables in B0 to C8, Chinese characters above, which hardly occur in names. */
const koreanPair: PairPoints = (lead, trail) => {
  if (trail < 0xa1 || lead < 0xa1) return RARE;
  if (inRange(lead, 0xb0, 0xc8)) return PLAIN;
  if (inRange(lead, 0xca, 0xfd)) return RARE;
  return inRange(lead, 0xa1, 0xa3) ? 0.5 : NEUTRAL;
};

const shiftJisPair: PairPoints = (lead, trail) => {
  if (lead === 0x82 && trail >= 0x9f) return COMMON;
  if (lead === 0x83 && trail <= 0x96) return COMMON;
  if (inRange(lead, 0x88, 0x97)) return PLAIN;
  if (lead === 0x81 || lead === 0x82) return 0.5;
  return inRange(lead, 0x98, 0x9f) || inRange(lead, 0xe0, 0xea) ? 0.25 : RARE;
};

const eucJpPair: PairPoints = (lead) => {
  if (lead === 0xa4 || lead === 0xa5) return COMMON - 0.5;
  if (inRange(lead, 0xb0, 0xcf)) return PLAIN - 0.1;
  if (lead === 0xa1 || lead === 0xa3) return 0.5;
  return inRange(lead, 0xd0, 0xf4) ? 0.25 : RARE;
};

/** Half-width kana and characters of three bytes are not written in names. */
const isEucJpPlain = (bytes: Uint8Array): boolean => !bytes.includes(0x8e) && !bytes.includes(0x8f);

const FREQUENT_CYRILLIC = set('оеаинтсрвлкмдпуяыьзгбчй');
const UPPER = /[А-ЯЁ]/;
const LOWER = /[а-яё]/;

/** A Cyrillic word begins with a capital or has no other letters, and does not touch Latin ones. One letter alone tells nothing. */
const pointsOfWord = (word: string): number => {
  const letters = [...word];
  if (letters.length < 2) return 0;
  const frequent = letters.filter((char) => FREQUENT_CYRILLIC.has(char.toLowerCase())).length;
  const turns = letters.filter((char, at) => UPPER.test(char) && LOWER.test(letters[at - 1] ?? '')).length;
  return letters.length * 0.8 + frequent * 0.5 - turns * 2;
};

const WORD = /[А-ЯЁа-яё]+/g;
const TOUCHING = /[A-Za-z][А-ЯЁа-яё]|[А-ЯЁа-яё][A-Za-z]/g;
const OTHER = /[^\0-\x7fА-ЯЁа-яё]/g;

const pointsOfCyrillic: Encoding['points'] = (_, text) => {
  const words = (text.match(WORD) ?? []).reduce((sum, word) => sum + pointsOfWord(word), 0);
  return words - (text.match(TOUCHING)?.length ?? 0) * 2 - (text.match(OTHER)?.length ?? 0) * 1.5;
};

const ACCENTED = /[ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜáíóúñÑ]/;
/** Of Windows-1252 all that Western languages write. */
const ACCENTED_ON_WINDOWS = /[À-ÖØ-öø-üÿ]/;
/** A German `ß` follows a vowel: the same byte is the `á` of Windows, as in `Página`. */
const AFTER_VOWEL = /[aeiouäöüy]/i;

/** Western names have single accented letters in Latin words. */
const pointsOfWestern =
  (accented: RegExp): Encoding['points'] =>
  (bytes, text) => {
    const isAccented = (at: number): boolean =>
      text[at] === 'ß' ? AFTER_VOWEL.test(text[at - 1] ?? '') : accented.test(text[at] ?? '');
    let points = 0;
    for (let at = 0; at < bytes.length; at += 1) {
      if ((bytes[at] ?? 0) < 0x80) continue;
      const isAlone = (bytes[at - 1] ?? 0) < 0x80 && (bytes[at + 1] ?? 0) < 0x80;
      const inWord = isLetter(bytes[at - 1]) || isLetter(bytes[at + 1]);
      if (!isAccented(at)) points -= isAlone ? 0.3 : 1;
      else if (inWord) points += isAlone ? 1.5 : 0.5;
    }
    return points;
  };

const eucJp = decoderOf('euc-jp');

/** In order of precedence if two are equally likely. */
export const ENCODINGS: readonly Encoding[] = [
  { decode: decoderOf('gb18030'), points: pointsOfPairs({ pair: gbkPair, common: set(HANZI) }) },
  { decode: decoderOf('big5'), points: pointsOfPairs({ pair: big5Pair, common: set(HANZI_TRADITIONAL) }) },
  { decode: decodeKorean, points: pointsOfPairs({ pair: koreanPair, common: set(HANGUL) }) },
  {
    decode: decoderOf('shift_jis'),
    points: pointsOfPairs({
      pair: shiftJisPair,
      common: KANA_AND_KANJI,
      isSingle: (byte) => inRange(byte, 0xa0, 0xdf) || byte === 0x80,
    }),
  },
  {
    decode: (bytes) => (isEucJpPlain(bytes) ? eucJp(bytes) : undefined),
    points: pointsOfPairs({ pair: eucJpPair, common: KANA_AND_KANJI }),
  },
  { decode: decoderOf('ibm866'), points: pointsOfCyrillic },
  { decode: decoderOf('windows-1251'), points: pointsOfCyrillic },
  { decode: cp437, points: pointsOfWestern(ACCENTED) },
  { decode: windows1252, points: pointsOfWestern(ACCENTED_ON_WINDOWS) },
];
