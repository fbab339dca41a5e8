// Which page of a book is requested, the form in which it is sent, and the tag of both.
import { AppError } from '../model/errors.js';
import type { PageEntry } from '../model/jobs.js';
import type { BookFile } from './book-files.js';
import { type Form, type PageWish, sentForm } from './form.js';
import { tagOf } from './version.js';

export interface PageChoice {
  /** 1-based. */
  readonly pageNumber: number;
  /** The error for a number that the book does not have; NotFound by default. */
  readonly outside?: 'NotFound' | 'BadRequest';
}

export interface ChosenForm {
  readonly entry: PageEntry;
  readonly form: Form;
  readonly tag: string;
}

const outOfRange = (pageCount: number, kind: 'NotFound' | 'BadRequest' = 'NotFound'): AppError =>
  new AppError(kind, pageCount === 0 ? 'This book has no pages.' : `This book has pages 1 to ${pageCount}.`);

/** Throws if the book has no page with that number. */
export const entryOf = ({ table }: BookFile, { pageNumber, outside }: PageChoice): PageEntry => {
  const entry = table?.entry(pageNumber - 1);
  if (entry === undefined) throw outOfRange(table?.pageCount ?? 0, outside);
  return entry;
};

export const choose = (
  file: BookFile,
  { wish, ...choice }: PageChoice & { readonly wish: PageWish },
  quality: string,
): ChosenForm => {
  const entry = entryOf(file, choice);
  const form = sentForm(entry, wish);
  return {
    entry,
    form,
    tag: tagOf(file, `${choice.pageNumber}-${form.kind === 'original' ? 'o' : form.name + quality}`),
  };
};
