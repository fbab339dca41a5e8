// ComicBookInfo: JSON in the comment of an archive, an object under the key `ComicBookInfo/1.0`.
import type { Author, BookFacts, EmbeddedMetadata } from '../../core/model/metadata.js';
import { numberOfText } from '../../core/model/numbers.js';
import { authorsOf, distinctAuthors, roleOf, translatorOf } from './authors.js';
import { plainText } from './html.js';
import { fieldOf, isRecord, type JsonRecord, listOf, parseRecord } from './json-record.js';
import { languageOf } from './language.js';
import { embedded, unreadMetadata } from './merge.js';
import { countOf, distinct, joined, plainNumber, publicationDate, termList, volumeOf } from './values.js';
import { decodeXml } from './xml.js';

const authorsIn = (record: JsonRecord): readonly Author[] =>
  distinctAuthors(
    listOf(record.credits)
      .filter(isRecord)
      .flatMap((credit) => authorsOf([fieldOf(credit, 'person') ?? ''], roleOf(fieldOf(credit, 'role') ?? ''))),
  );

const comicBookInfoFacts = (record: JsonRecord): Partial<BookFacts> => {
  const field = (name: string): string | null => fieldOf(record, name);
  const number = field('issue');
  const authors = authorsIn(record);
  return {
    title: field('title'),
    series: field('series'),
    number: number === null ? null : plainNumber(number),
    chapter: numberOfText(number),
    count: countOf(field('numberOfIssues')),
    volume: volumeOf(field('volume')),
    summary: plainText(field('comments')),
    publisher: field('publisher'),
    genre: joined(termList(field('genre'))),
    languageIso: languageOf(field('language')),
    pageCount: countOf(field('pages')),
    ...publicationDate(field('publicationYear'), field('publicationMonth'), field('publicationDay')),
    translator: translatorOf(authors),
    authors,
  };
};

const HEADING = /"ComicBookInfo\/1/i;

export const readComicBookInfo = (bytes: Uint8Array): EmbeddedMetadata | null => {
  const document = parseRecord(bytes);
  if (document === null)
    return HEADING.test(decodeXml(bytes.subarray(0, 1000))) ? unreadMetadata('ComicBookInfo') : null;
  const record = Object.entries(document ?? {}).find(([key]) => /^ComicBookInfo\/1\.\d$/i.test(key))?.[1];
  if (!isRecord(record)) return null;
  const book = comicBookInfoFacts(record);
  return embedded(
    book,
    {
      title: book.series ?? null,
      publisher: book.publisher ?? null,
      language: book.languageIso ?? null,
      totalVolumeCount: countOf(fieldOf(record, 'numberOfVolumes')),
      genres: termList(fieldOf(record, 'genre')),
      tags: distinct(listOf(record.tags).filter((tag) => typeof tag === 'string')),
    },
    { languages: [fieldOf(record, 'language')] },
  );
};
