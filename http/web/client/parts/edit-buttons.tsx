// The buttons that edit a series or book, for those who may.
import { useSignal } from '@preact/signals';
import { b } from '../messages/browse-messages.js';
import type { Book } from '../state/api.js';
import type { Editable } from '../state/editing.js';
import { may } from '../state/session.js';
import { CoverDialog } from './cover-dialog.js';
import { Icon } from './icon.js';
import { MetadataDialog } from './metadata-dialog.js';

interface Props {
  readonly of: Editable;
  readonly id: string;
  readonly books?: readonly Book[];
  readonly pageCount?: number;
  readonly onDone: () => void;
}

const WRITES: Readonly<Record<Editable, string>> = { series: 'SeriesWrite', books: 'BooksWrite' };

export const EditButtons = ({ of, id, books, pageCount, onDone }: Props) => {
  const open = useSignal<'metadata' | 'covers' | null>(null);
  if (!may(WRITES[of])) return null;
  const close = (): void => {
    open.value = null;
  };
  return (
    <>
      <button
        type="button"
        class="button"
        onClick={() => {
          open.value = 'metadata';
        }}
      >
        <Icon name="edit" />
        {b.list.edit}
      </button>
      <button
        type="button"
        class="button"
        onClick={() => {
          open.value = 'covers';
        }}
      >
        <Icon name="picture" />
        {b.covers.open}
      </button>
      {open.value === 'metadata' && <MetadataDialog of={of} id={id} onDone={onDone} onClose={close} />}
      {open.value === 'covers' && (
        <CoverDialog
          of={of}
          id={id}
          {...(books === undefined ? {} : { books })}
          {...(pageCount === undefined ? {} : { pageCount })}
          onDone={onDone}
          onClose={close}
        />
      )}
    </>
  );
};
