// Adds a library: its folder is chosen from those of the server, and what would become of the files in it is shown before anything is made.
import { useSignal } from '@preact/signals';
import { b } from '../messages/browse-messages.js';
import { explain, plainly } from '../messages/explain.js';
import { t } from '../messages/messages.js';
import { Choice } from '../parts/choice.js';
import { ErrorMessage } from '../parts/error-message.js';
import { Loaded, useFetched } from '../parts/fetched.js';
import { Field } from '../parts/field.js';
import { Icon } from '../parts/icon.js';
import { NamingExamples } from '../parts/naming-examples.js';
import { useSubmitting, useUnsavedInput } from '../parts/submitting.js';
import { useTitle } from '../parts/title.js';
import {
  filesystemBrowse,
  filesystemDrives,
  librariesCreate,
  librariesPreview,
  type ScanPreview,
} from '../state/api.js';
import { type Explanation, pathCodeOf, statusOf } from '../state/api-errors.js';
import { language } from '../state/appearance.js';
import { STRATEGIES } from '../state/naming.js';
import { go, linkTo, screen } from '../state/router.js';
import { mayAdminister, session } from '../state/session.js';
import { forgetUnsaved } from '../state/unsaved.js';

type PathCode = keyof typeof t.library.refusals;

const isPathCode = (code: string | null): code is PathCode => code !== null && Object.hasOwn(t.library.refusals, code);

/** Said of a folder by the status of the refusal. */
const TEXTS: Readonly<Record<number, string>> = { 400: t.library.refused, 409: t.library.taken };

const explainFolder = (thrown: unknown): Explanation => {
  const code = pathCodeOf(thrown);
  if (isPathCode(code)) return plainly(t.library.refusals[code]);
  const text = TEXTS[statusOf(thrown)];
  return explain(thrown, text === undefined ? {} : { text });
};

const nameOf = (path: string): string => path.split(/[/\\]/).filter(Boolean).at(-1) ?? '';

/** As people sort: accents and scripts in their places, numbers by value. */
const byName = <T extends { readonly name: string }>(all: readonly T[]): readonly T[] => {
  const { compare } = new Intl.Collator(language, { numeric: true });
  return [...all].sort((one, other) => compare(one.name, other.name));
};

const SHOWN_SERIES = 12;
const DIRECTIONS = ['ltr', 'rtl', 'webtoon'] as const;
type Direction = (typeof DIRECTIONS)[number];

const RootFolders = ({ onOpen }: { readonly onOpen: (path: string) => void }) => {
  const drives = useFetched((signal) => filesystemDrives({ signal }), []);
  return (
    <Loaded of={drives}>
      {(found) => (
        <ul class="folders" aria-label={t.library.starts}>
          {found.map(({ place, path }) => (
            <li key={path}>
              <button type="button" class="folder" onClick={() => onOpen(path)}>
                <Icon name="folder" />
                <span>{t.library.places[place]}</span>
                <span class="dim">{path}</span>
              </button>
            </li>
          ))}
        </ul>
      )}
    </Loaded>
  );
};

interface FolderProps {
  readonly path: string;
  readonly onOpen: (path: string | null) => void;
}

const Folder = ({ path, onOpen }: FolderProps) => {
  const listing = useFetched((signal) => filesystemBrowse({ path }, { signal }), [path], {
    keepsOld: 'until answered',
  });
  return (
    <Loaded of={listing}>
      {({ parentPath, entries, isTruncated }) => {
        const folders = byName(entries.filter(({ isDirectory }) => isDirectory));
        return (
          <>
            <ul class="folders" aria-label={t.library.foldersIn(path)}>
              <li>
                <button type="button" class="folder" onClick={() => onOpen(parentPath)}>
                  <Icon name="up" />
                  <span>{t.library.up}</span>
                </button>
              </li>
              {folders.map((entry) => (
                <li key={entry.path}>
                  <button type="button" class="folder" disabled={!entry.isReadable} onClick={() => onOpen(entry.path)}>
                    <Icon name="folder" />
                    <span>{entry.name}</span>
                    {!entry.isReadable && <span class="dim">{t.library.unreadable}</span>}
                  </button>
                </li>
              ))}
            </ul>
            {folders.length === 0 && <p class="dim">{t.library.noFolders}</p>}
            {isTruncated && <p class="dim">{t.library.more}</p>}
          </>
        );
      }}
    </Loaded>
  );
};

const DetectedList = ({ series }: { readonly series: ScanPreview['detectedSeries'] }) => (
  <ul>
    {series.map(({ path, name, bookCount }) => (
      <li key={path}>
        {name} <span class="dim">{t.series.books(bookCount)}</span>
      </li>
    ))}
  </ul>
);

const Preview = ({ preview }: { readonly preview: ScanPreview }) => {
  const { totalFiles, totalSeries, isComplete } = preview;
  const detectedSeries = byName(preview.detectedSeries);
  const others = detectedSeries.slice(SHOWN_SERIES);
  if (totalFiles === 0) return <p>{t.library.noBooks}</p>;
  return (
    <div class="preview">
      <p>{isComplete ? t.library.found(totalFiles, totalSeries) : t.library.foundMore(totalFiles, totalSeries)}</p>
      <DetectedList series={detectedSeries.slice(0, SHOWN_SERIES)} />
      {others.length > 0 && (
        <details>
          <summary>{t.library.andMore(totalSeries - SHOWN_SERIES)}</summary>
          <DetectedList series={others} />
          {totalSeries > detectedSeries.length && (
            <p class="dim">{t.library.andMore(totalSeries - detectedSeries.length)}</p>
          )}
        </details>
      )}
    </div>
  );
};

const NAMINGS = ['metadata', 'names'] as const;

const NewLibraryForm = ({ path }: { readonly path: string }) => {
  const preview = useFetched(
    (signal) => librariesPreview({ body: { path, ...STRATEGIES.metadata } }, { signal }),
    [path],
  );
  const direction = useSignal<Direction>('ltr');
  const naming = useSignal<keyof typeof STRATEGIES>('metadata');
  const unsaved = useUnsavedInput();
  const { isBusy, error, submit } = useSubmitting(async ({ name = '' }) => {
    const { id } = await librariesCreate({
      body: {
        name,
        path,
        defaultReadingDirection: direction.value,
        ...STRATEGIES[naming.value],
        scanImmediately: true,
      },
    });
    if (screen.peek().name !== 'newLibrary') return; // it was left meanwhile
    forgetUnsaved();
    go(linkTo('library', id));
  }, explainFolder);
  const { value } = preview.state;
  return (
    <form class="form new-library" onSubmit={submit} onInput={unsaved.onInput}>
      <h2>{t.library.chosen}</h2>
      <p class="path">{path}</p>
      {value.kind === 'failed' && (
        <p class="hint" role="status">
          {explainFolder(value.thrown).text}
        </p>
      )}
      {value.kind === 'loading' && <p role="status">{t.library.counting}</p>}
      {value.kind === 'done' && <Preview preview={value.value} />}
      <Field key={path} label={t.library.name} name="name" value={nameOf(path)} maxLength={200} required />
      <Choice
        label={t.library.direction}
        value={direction.value}
        options={DIRECTIONS.map((one) => [one, t.library.directions[one]] as const)}
        onChoose={(chosen) => {
          direction.value = chosen;
        }}
      />
      <Choice
        label={b.naming.label}
        value={naming.value}
        options={NAMINGS.map((one) => [one, b.naming.options[one]] as const)}
        onChoose={(chosen) => {
          naming.value = chosen;
        }}
      />
      <p class="hint">{b.naming.hint}</p>
      {value.kind === 'done' && <NamingExamples books={value.value.examples} naming={naming.value} />}
      <ErrorMessage of={error.value} />
      <button type="submit" class="button primary" disabled={isBusy.value || value.kind === 'failed'}>
        {t.home.addLibrary}
      </button>
    </form>
  );
};

export const NewLibrary = () => {
  const me = session.value.kind === 'user' ? session.value.me : null;
  if (me !== null && !mayAdminister(me)) return <OnlyAdministrators />;
  return <FolderPicker />;
};

const OnlyAdministrators = () => {
  useTitle(t.home.addLibrary);
  return (
    <div class="notice">
      <h1>{t.home.addLibrary}</h1>
      <p>{t.library.onlyAdministrators}</p>
      <a class="button" href={linkTo('libraries')}>
        {t.app.libraries}
      </a>
    </div>
  );
};

const FolderPicker = () => {
  useTitle(t.home.addLibrary);
  const path = useSignal<string | null>(null);
  /** Whether the folder was chosen, not just passed through; only then is it previewed. */
  const isChosen = useSignal(false);
  const typed = useSubmitting(async ({ path: given = '' }) => {
    await filesystemBrowse({ path: given });
    path.value = given;
    isChosen.value = true;
  }, explainFolder);
  const open = (to: string | null): void => {
    path.value = to;
    isChosen.value = false;
  };
  return (
    <>
      <h1>{t.home.addLibrary}</h1>
      <p class="lead">{t.library.choose}</p>
      <div class="picker">
        <section aria-label={t.library.starts}>
          <form class="type-path" onSubmit={typed.submit}>
            <Field
              key={path.value}
              label={t.library.path}
              name="path"
              value={path.value ?? ''}
              spellcheck={false}
              required
            />
            <button type="submit" class="button" disabled={typed.isBusy.value}>
              {t.library.open}
            </button>
          </form>
          <ErrorMessage of={typed.error.value} />
          <div>{path.value === null ? <RootFolders onOpen={open} /> : <Folder path={path.value} onOpen={open} />}</div>
        </section>
        {path.value !== null && isChosen.value && <NewLibraryForm path={path.value} />}
        {path.value !== null && !isChosen.value && (
          <section class="form new-library" aria-labelledby="here">
            <h2 id="here">{t.library.here}</h2>
            <p class="path">{path.value}</p>
            <div>
              <button
                type="button"
                class="button primary"
                onClick={() => {
                  isChosen.value = true;
                }}
              >
                {t.library.chooseThis}
              </button>
            </div>
          </section>
        )}
      </div>
    </>
  );
};
