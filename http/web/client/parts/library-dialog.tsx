// Manages a library: its name, how it is scanned, analysing it again, deleting it.

import { type Signal, useSignal } from '@preact/signals';
import { b } from '../messages/browse-messages.js';
import { explain } from '../messages/explain.js';
import { t } from '../messages/messages.js';
import { type Library, librariesAnalyze, librariesDelete, librariesPatch, librariesScan } from '../state/api.js';
import { type Explanation, statusOf } from '../state/api-errors.js';
import { type Naming, namingOf, STRATEGIES } from '../state/naming.js';
import { may } from '../state/session.js';
import { showToast } from '../state/toast.js';
import { Checkbox } from './checkbox.js';
import { Choice } from './choice.js';
import { Confirm } from './confirm.js';
import { Dialog } from './dialog.js';
import { useEntered } from './entered.js';
import { ErrorMessage } from './error-message.js';
import { Field, TextArea } from './field.js';
import { Icon } from './icon.js';
import { NamingPreview } from './naming-preview.js';
import { useSubmitting } from './submitting.js';

interface Props {
  readonly library: Library;
  /** Chosen when it opens; otherwise what the library has. */
  readonly naming?: Naming;
  readonly onDone: () => void;
  readonly onClose: () => void;
}

const DIRECTIONS = ['ltr', 'rtl', 'webtoon'] as const;

interface NamingProps {
  readonly library: Library;
  readonly naming: Signal<Naming>;
}

const NamingChoice = ({ library, naming }: NamingProps) => {
  const now = namingOf(library);
  const options = now === 'other' ? (['metadata', 'names', 'other'] as const) : (['metadata', 'names'] as const);
  const { value } = naming;
  return (
    <>
      <Choice
        label={b.naming.label}
        value={value}
        options={options.map((one) => [one, b.naming.options[one]] as const)}
        onChoose={(chosen) => {
          naming.value = chosen;
        }}
      />
      <p class="hint">{b.naming.hint}</p>
      {value !== now && value !== 'other' && <NamingPreview libraryId={library.id} naming={value} />}
    </>
  );
};

/** Existing books follow with a deep scan; one that is going on already does not read with the new strategies. */
const applyNaming = async ({ id, name }: Library): Promise<void> => {
  await librariesScan({ id, mode: 'deep' });
  showToast(b.naming.begun(name));
};

const Settings = ({ library, naming: wanted, onDone, onClose }: Props) => {
  const { id, name, description, scanningConfig: scan } = library;
  const naming = useSignal(wanted ?? namingOf(library));
  const direction = useSignal(DIRECTIONS.find((one) => one === library.defaultReadingDirection) ?? null);
  const { isBusy, error, submit } = useSubmitting(async (given) => {
    const isRenaming = naming.value !== namingOf(library);
    const schedule = (given.schedule ?? '').trim();
    const body = {
      name: given.name ?? name,
      description: (given.description ?? '').trim() === '' ? null : (given.description ?? null),
      ...(direction.value === null ? {} : { defaultReadingDirection: direction.value }),
      ...(isRenaming && naming.value !== 'other' ? STRATEGIES[naming.value] : {}),
      scanningConfig: {
        watchFolders: given.watch !== undefined,
        scanOnStart: given.start !== undefined,
        cronSchedule: schedule === '' ? null : schedule,
        ...(given.watch !== undefined || given.start !== undefined || schedule !== '' ? { enabled: true } : {}),
      },
    };
    await librariesPatch({ id, body });
    if (isRenaming) await applyNaming(library);
    onDone();
    onClose();
  });
  return (
    <form class="form" onSubmit={submit}>
      <Field label={t.library.name} name="name" maxLength={200} defaultValue={name} autocomplete="off" required />
      <TextArea label={b.list.summary} name="description" value={description ?? ''} rows={2} />
      {direction.value !== null && (
        <Choice
          label={t.library.direction}
          value={direction.value}
          options={DIRECTIONS.map((one) => [one, t.library.directions[one]] as const)}
          onChoose={(chosen) => {
            direction.value = chosen;
          }}
        />
      )}
      <NamingChoice library={library} naming={naming} />
      <Checkbox
        label={b.library.watch}
        hint={b.library.watchHint}
        name="watch"
        isOn={scan.enabled && scan.watchFolders}
      />
      <Checkbox label={b.library.start} name="start" isOn={scan.enabled && scan.scanOnStart} />
      <Field
        label={b.library.schedule}
        hint={b.library.scheduleHint}
        name="schedule"
        defaultValue={scan.enabled ? (scan.cronSchedule ?? '') : ''}
        autocomplete="off"
        spellcheck={false}
      />
      <ErrorMessage of={error.value} />
      <div class="buttons">
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

interface WorkProps {
  readonly library: Library;
  readonly onStarted: () => void;
}

/** Each is a task of the server, which goes on by itself. */
const Work = ({ library: { id, name }, onStarted }: WorkProps) => {
  const error = useSignal<Explanation | null>(null);
  const start = (work: () => Promise<unknown>, text: string): void => {
    error.value = null;
    work().then(
      () => {
        showToast(text);
        onStarted();
      },
      (thrown: unknown) => {
        error.value = explain(thrown, statusOf(thrown) === 409 ? { text: b.library.isScanned } : {});
      },
    );
  };
  return (
    <section class="form" aria-label={b.library.work}>
      <div class="buttons">
        <button
          type="button"
          class="button"
          onClick={() => start(() => librariesScan({ id, mode: 'deep' }), b.library.deepBegun(name))}
        >
          {b.library.deep}
        </button>
        <button
          type="button"
          class="button"
          onClick={() => start(() => librariesAnalyze({ id }), b.library.analysisBegun(name))}
        >
          {b.library.analyse}
        </button>
      </div>
      <p class="hint">{b.library.workHint}</p>
      <ErrorMessage of={error.value} />
    </section>
  );
};

export const LibraryDialog = (props: Props) => {
  const { library, onDone, onClose } = props;
  const isDeleting = useSignal(false);
  const entered = useEntered();
  return (
    <Dialog title={library.name} onClose={onClose} isChanged={entered.is}>
      <p class="path">{library.path}</p>
      <div onInput={entered.note} onChange={entered.note}>
        <Settings {...props} />
      </div>
      <hr />
      <Work
        library={library}
        onStarted={() => {
          if (!entered.is()) onClose();
        }}
      />
      {may('LibrariesDelete') && (
        <div>
          <button
            type="button"
            class="button danger"
            onClick={() => {
              isDeleting.value = true;
            }}
          >
            <Icon name="trash" />
            {b.library.removeThis}
          </button>
        </div>
      )}
      {isDeleting.value && (
        <Confirm
          title={b.library.remove(library.name)}
          text={b.library.removeText}
          action={b.list.remove}
          typed={{ label: b.library.typeName(library.name), word: library.name }}
          onConfirm={async () => {
            await librariesDelete({ id: library.id });
            showToast(b.library.removed(library.name));
            onDone();
            onClose();
          }}
          onClose={() => {
            isDeleting.value = false;
          }}
        />
      )}
    </Dialog>
  );
};
