// Opens the container by its content. A file that cannot be read as a book is a finding, not a failure of the job.
import { AppError, type Fault, faultOf } from '../../core/model/errors.js';
import { emptyBook } from '../../core/model/page-findings.js';
import { openContainer } from '../formats/all.js';
import type { Container } from '../formats/format.js';
import { withModuleRoom } from '../read-in-room.js';
import { step } from '../step.js';

/** Errors about the moment and not about the file. */
const PASSING: ReadonlySet<string> = new Set(['Cancelled', 'Timeout', 'FileUnreadable', 'FileChanged']);

const NOT_OPENED = 'The pages are encrypted; none of the passwords in archive.passwords opens them.';

/** A container that opens may still have nothing to read; its metadata counts anyway. */
const emptinessOf = ({ format, pages, pageCount, outline, notes }: Container): Fault | null => {
  if (outline?.isProtected === true)
    return faultOf(
      new AppError('EncryptedArchive', 'The book is protected (DRM): only apps of the seller can open it.'),
    );
  if (pages.length === 0 && pageCount === null) return emptyBook(notes.find(({ type }) => type === 'other'));
  if (pages.length > 0 && pages.every((page) => page.fault === 'encrypted'))
    return faultOf(format === 'cbz' ? new AppError('EncryptedArchive', NOT_OPENED) : new AppError('EncryptedArchive'));
  return null;
};

const AGAIN = 'Copy or download the file again.';

/** Only another copy of the file helps against damage. */
const withAdvice = (error: AppError): Fault => {
  const fault = faultOf(error);
  if (fault.kind !== 'CorruptArchive' || /download/i.test(fault.message)) return fault;
  return { ...fault, message: `${fault.message} ${AGAIN}` };
};

export const list = step({
  name: 'list',
  needs: ['file', 'limits'],
  gives: ['container', 'fault'],
  run: async ({ file, limits }, run) => {
    try {
      const container = await withModuleRoom(() => openContainer(file, { limits, check: run.check, room: run }), run);
      return { container, fault: emptinessOf(container) };
    } catch (thrown) {
      if (!(thrown instanceof AppError) || PASSING.has(thrown.kind)) throw thrown;
      return { container: null, fault: withAdvice(thrown) };
    }
  },
});
