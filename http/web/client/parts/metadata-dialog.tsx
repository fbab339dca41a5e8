// Edits the metadata of a series or book. Each field has a lock beside it: what is locked stays when files are read again. Editing a field locks it.
import { useSignal, useSignalEffect } from '@preact/signals';
import { useId, useRef } from 'preact/hooks';
import { b } from '../messages/browse-messages.js';
import { explain } from '../messages/explain.js';
import { t } from '../messages/messages.js';
import type { Explanation } from '../state/api-errors.js';
import {
  type Editable,
  type Edited,
  type EditField,
  type EditName,
  editFieldsOf,
  recordFor,
  store,
  type Value,
} from '../state/editing.js';
import { showToast } from '../state/toast.js';
import { Dialog } from './dialog.js';
import { ErrorMessage } from './error-message.js';
import { Loaded, useFetched } from './fetched.js';
import { Icon } from './icon.js';
import { PeopleEditor } from './people-editor.js';
import { useSubmitting } from './submitting.js';

interface Props {
  readonly of: Editable;
  readonly id: string;
  readonly onDone: () => void;
  readonly onClose: () => void;
}

const wordText = (name: EditName, word: string): string => {
  const words: Readonly<Record<string, string>> =
    name === 'status' ? t.series.states : { ...b.filter.types, ...b.edit.directions };
  return words[word] ?? word;
};

interface InputProps {
  readonly id: string;
  readonly field: EditField;
  readonly value: Value;
  readonly onChange: (value: Value) => void;
}

const Input = ({ id, field: { name, kind, words = [], max }, value, onChange }: InputProps) => {
  if (typeof value !== 'string') return <PeopleEditor people={value} onChange={onChange} />;
  if (kind === 'text' || kind === 'names')
    return (
      <textarea
        id={id}
        rows={kind === 'text' ? 5 : 3}
        value={value}
        onInput={(event) => onChange(event.currentTarget.value)}
      />
    );
  if (kind === 'word')
    return (
      <select id={id} value={value} onChange={(event) => onChange(event.currentTarget.value)}>
        <option value="">{b.edit.none}</option>
        {words.map((word) => (
          <option key={word} value={word}>
            {wordText(name, word)}
          </option>
        ))}
      </select>
    );
  if (kind === 'line')
    return (
      <input
        id={id}
        type="text"
        value={value}
        maxLength={500}
        onInput={(event) => onChange(event.currentTarget.value)}
      />
    );
  return (
    <input
      id={id}
      type="number"
      min={0}
      max={max}
      step={kind === 'whole' ? 1 : 'any'}
      value={value}
      onInput={(event) => onChange(event.currentTarget.value)}
    />
  );
};

interface RowProps {
  readonly field: EditField;
  readonly value: Value;
  readonly isLocked: boolean;
  readonly onChange: (value: Value) => void;
  readonly onLock: (isLocked: boolean) => void;
}

const Row = ({ field, value, isLocked, onChange, onLock }: RowProps) => {
  const id = useId();
  const label = b.edit.fields[field.name];
  const isWide = field.kind === 'text' || field.kind === 'people';
  const words = (
    <>
      {label}
      {field.kind === 'names' && <span class="hint"> {b.edit.onePerLine}</span>}
    </>
  );
  return (
    <div class={isWide ? 'field edit-row wide' : 'field edit-row'}>
      <div class="edit-label">
        {field.kind === 'people' ? <span id={id}>{words}</span> : <label for={id}>{words}</label>}
        <button
          type="button"
          class="button round lock"
          aria-pressed={isLocked}
          aria-label={b.edit.lock(label)}
          title={isLocked ? b.edit.isLocked : b.edit.isOpen}
          onClick={() => onLock(!isLocked)}
        >
          <Icon name={isLocked ? 'locked' : 'unlocked'} />
        </button>
      </div>
      <Input id={id} field={field} value={value} onChange={onChange} />
    </div>
  );
};

const explainEdit = (thrown: unknown): Explanation => explain(thrown, { fields: b.edit.fields });

interface FormProps extends Props {
  readonly before: Edited;
  /** Told what is entered now. */
  readonly onEdit: (now: Edited) => void;
}

const Form = ({ of, id, before, onEdit, onDone, onClose }: FormProps) => {
  const now = useSignal(before);
  useSignalEffect(() => onEdit(now.value));
  const { isBusy, error, submit } = useSubmitting(async () => {
    await store(of, id, before, now.value);
    showToast(b.edit.saved);
    onDone();
    onClose();
  }, explainEdit);
  const { values, locks } = now.value;
  return (
    <form class="form" onSubmit={submit}>
      <p class="hint">{b.edit.lockHint}</p>
      <div class="edit-grid">
        {editFieldsOf(of).map((field) => (
          <Row
            key={field.name}
            field={field}
            value={values.get(field.name) ?? ''}
            isLocked={locks.get(field.name) === true}
            onChange={(value) => {
              now.value = {
                values: new Map(now.value.values).set(field.name, value),
                locks: new Map(now.value.locks).set(field.name, true),
              };
            }}
            onLock={(isLocked) => {
              now.value = { ...now.value, locks: new Map(now.value.locks).set(field.name, isLocked) };
            }}
          />
        ))}
      </div>
      <ErrorMessage of={error.value} />
      <div class="buttons dialog-foot">
        <button type="submit" class="button primary" disabled={isBusy.value}>
          {b.dialog.save}
        </button>
        <button type="button" class="button" onClick={onClose}>
          {b.dialog.cancel}
        </button>
      </div>
    </form>
  );
};

export const MetadataDialog = (props: Props) => {
  const { of, id, onClose } = props;
  const record = useFetched((signal) => recordFor(of, id, { signal }), [of, id]);
  /** Compared with what the form began with: the record may be loading again. */
  const edited = useRef(false);
  const isChanged = (): boolean => edited.current;
  return (
    <Dialog title={b.edit.titles[of]} onClose={onClose} isChanged={isChanged} isWide>
      <Loaded of={record}>
        {(before) => (
          <Form
            {...props}
            before={before}
            onEdit={(now) => {
              edited.current = now !== before;
            }}
          />
        )}
      </Loaded>
    </Dialog>
  );
};
