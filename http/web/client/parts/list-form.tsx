// Creates a collection or read list, or changes what one is called.

import { b } from '../messages/browse-messages.js';
import { explain, plainly } from '../messages/explain.js';
import { type Explanation, statusOf } from '../state/api-errors.js';
import { type ListKind, type NamedList, rowsOf } from '../state/named-lists.js';
import { Checkbox } from './checkbox.js';
import { Dialog } from './dialog.js';
import { useEntered } from './entered.js';
import { ErrorMessage } from './error-message.js';
import { Field, TextArea } from './field.js';
import { useSubmitting } from './submitting.js';

interface Props {
  readonly kind: ListKind;
  /** The list to change; without one, another is created. */
  readonly list?: NamedList;
  readonly onDone: (list: NamedList) => void;
  readonly onClose: () => void;
}

export const explainName = (thrown: unknown): Explanation =>
  statusOf(thrown) === 409 ? plainly(b.list.nameTaken) : explain(thrown);

export const ListForm = ({ kind, list, onDone, onClose }: Props) => {
  const words = b.kinds[kind];
  const entered = useEntered();
  const { isBusy, error, submit } = useSubmitting(async ({ name = '', summary = '', ordered }) => {
    const body = { name, summary: summary.trim() === '' ? null : summary, ordered: ordered !== undefined };
    const rows = rowsOf(kind);
    onDone(list === undefined ? await rows.create(body) : await rows.change(list.id, body));
  }, explainName);
  return (
    <Dialog title={list === undefined ? words.make : words.edit} onClose={onClose} isChanged={entered.is}>
      <form class="form" onSubmit={submit} onInput={entered.note}>
        <Field
          label={b.list.name}
          name="name"
          maxLength={255}
          defaultValue={list?.name ?? ''}
          autocomplete="off"
          required
          autofocus
        />
        <TextArea label={b.list.summary} name="summary" value={list?.summary ?? ''} rows={4} />
        <Checkbox label={b.list.ordered} hint={b.list.orderedHint} name="ordered" isOn={list?.ordered ?? true} />
        <ErrorMessage of={error.value} />
        <div class="buttons">
          <button type="submit" class="button primary" disabled={isBusy.value}>
            {list === undefined ? b.list.create : b.dialog.save}
          </button>
          <button type="button" class="button" onClick={onClose}>
            {b.dialog.cancel}
          </button>
        </div>
      </form>
    </Dialog>
  );
};
