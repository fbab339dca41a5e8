// API keys: made, shown once, and revoked.

import { useSignal } from '@preact/signals';
import { a } from '../messages/apps-messages.js';
import { explain } from '../messages/explain.js';
import { dateText, timeText } from '../messages/messages.js';
import { Choice } from '../parts/choice.js';
import { ErrorMessage } from '../parts/error-message.js';
import { Loaded, useFetched } from '../parts/fetched.js';
import { Field } from '../parts/field.js';
import { useSubmitting, useUnsavedInput } from '../parts/submitting.js';
import { type ApiKey, keysCreate, keysDelete, keysList, type MadeApiKey } from '../state/api.js';
import { type Explanation, statusOf } from '../state/api-errors.js';
import { CopyField } from './copy-field.js';
import { KeyRights, ownRights, type Right } from './key-rights.js';

const LOOKING = ['LibrariesRead', 'SeriesRead', 'BooksRead', 'PagesRead', 'CollectionsRead', 'ReadListsRead'] as const;
/** What is ticked when a scope is chosen; null: everything. */
const SCOPES = {
  reading: [...LOOKING, 'ProgressRead', 'ProgressWrite'],
  looking: [...LOOKING, 'ProgressRead'],
  everything: null,
} as const satisfies Readonly<Record<string, readonly Right[] | null>>;
type Scope = keyof typeof SCOPES | 'chosen';

const DAY_MS = 86_400_000;
const LIFETIMES = { never: null, month: 30 * DAY_MS, quarter: 90 * DAY_MS, year: 365 * DAY_MS } as const;
type Lifetime = keyof typeof LIFETIMES;

interface Wanted {
  readonly name: string;
  /** Null: all that the user has. */
  readonly rights: readonly Right[] | null;
  readonly lifetime: Lifetime;
}

const made = async ({ name, rights, lifetime }: Wanted): Promise<MadeApiKey> => {
  const ms = LIFETIMES[lifetime];
  return keysCreate({
    body: {
      name,
      ...(rights === null ? {} : { permissions: [...rights] }),
      expiresAt: ms === null ? null : new Date(Date.now() + ms).toISOString(),
    },
  });
};

const namesOf = <K extends string>(texts: Readonly<Record<K, string>>): readonly (readonly [K, string])[] =>
  (Object.entries(texts) as [K, string][]).map(([key, text]) => [key, text] as const);

const NewKey = ({ onMade }: { readonly onMade: (key: MadeApiKey) => void }) => {
  const scope = useSignal<Scope>('reading');
  const chosen = useSignal<ReadonlySet<Right>>(new Set(SCOPES.reading));
  const isOpen = useSignal(false);
  const lifetime = useSignal<Lifetime>('never');
  const isNothing = chosen.value.size === 0;
  const unsaved = useUnsavedInput();
  const { isBusy, error, submit } = useSubmitting(
    async ({ name = '' }) => {
      const rights = scope.value === 'everything' ? null : [...chosen.value];
      const key = await made({ name, rights, lifetime: lifetime.value });
      unsaved.saved();
      onMade(key);
    },
    (thrown) => explain(thrown, statusOf(thrown) === 409 ? { text: a.tooMany } : {}),
  );
  return (
    <form class="form panel" onSubmit={submit} onInput={unsaved.onInput}>
      <Field label={a.name} hint={a.nameHint} name="name" autocomplete="off" maxLength={100} required />
      <div class="pair">
        <Choice
          label={a.scope}
          value={scope.value}
          options={namesOf(a.scopes)}
          onChoose={(one) => {
            scope.value = one;
            if (one === 'chosen') isOpen.value = true;
            else chosen.value = new Set(SCOPES[one] ?? ownRights());
          }}
        />
        <Choice
          label={a.lifetime}
          value={lifetime.value}
          options={namesOf(a.lifetimes)}
          onChoose={(one) => {
            lifetime.value = one;
          }}
        />
      </div>
      <KeyRights
        chosen={chosen.value}
        isOpen={isOpen.value}
        onOpen={(isNow) => {
          isOpen.value = isNow;
        }}
        onChange={(rights) => {
          scope.value = 'chosen';
          chosen.value = rights;
        }}
      />
      <ErrorMessage of={error.value} />
      <div>
        <button type="submit" class="button primary" disabled={isBusy.value || isNothing}>
          {a.create}
        </button>
      </div>
    </form>
  );
};

const ShownKey = ({ of, onDone }: { readonly of: MadeApiKey; readonly onDone: () => void }) => (
  <div class="panel shown-once" role="status">
    <p>
      <strong>{a.newKey(of.name)}</strong> {a.once}
    </p>
    <CopyField label={a.newKey(of.name)} isLabelHidden text={of.key} />
    <div>
      <button type="button" class="button" onClick={onDone}>
        {a.done}
      </button>
    </div>
  </div>
);

const stateOf = ({ createdAt, lastUsedAt, expiresAt, isActive }: ApiKey): string =>
  [
    a.created(dateText(createdAt)),
    lastUsedAt === null ? a.unused : a.used(timeText(lastUsedAt)),
    ...(expiresAt === null
      ? []
      : [Date.parse(expiresAt) > Date.now() ? a.expires(dateText(expiresAt)) : a.expired(dateText(expiresAt))]),
    ...(isActive ? [] : [a.off]),
  ].join(' · ');

/** Ignores the second click of a double click, which was meant for the button that asked for confirmation. */
const ignoringDoubleClick =
  (act: () => void) =>
  ({ detail }: MouseEvent): void => {
    if (detail <= 1) act();
  };

const KeyRow = ({ of, onGone }: { readonly of: ApiKey; readonly onGone: () => void }) => {
  const isAsked = useSignal(false);
  const error = useSignal<Explanation | null>(null);
  const ask = (isNow: boolean): void => {
    isAsked.value = isNow;
  };
  const revoke = (): void => {
    keysDelete({ id: of.id }).then(onGone, (thrown: unknown) => {
      error.value = explain(thrown);
    });
  };
  return (
    <li class="library">
      <div class="library-link">
        <span class="library-name">{of.name}</span>
        <span class="dim">{stateOf(of)}</span>
      </div>
      {isAsked.value ? (
        <>
          <button type="button" class="button danger" onClick={ignoringDoubleClick(revoke)}>
            {a.revokeNow}
            <span class="visually-hidden"> {of.name}</span>
          </button>
          <button type="button" class="button" onClick={ignoringDoubleClick(() => ask(false))}>
            {a.keep}
          </button>
        </>
      ) : (
        <button type="button" class="button" onClick={() => ask(true)}>
          {a.revoke}
          <span class="visually-hidden"> {of.name}</span>
        </button>
      )}
      <ErrorMessage of={error.value} />
    </li>
  );
};

export const Keys = () => {
  const keys = useFetched(async (signal) => (await keysList({}, { signal })) as ApiKey[], []);
  const shown = useSignal<MadeApiKey | null>(null);
  return (
    <section aria-labelledby="keys">
      <h2 id="keys">{a.keys}</h2>
      <p class="lead">{a.keysLead}</p>
      {shown.value === null ? (
        <NewKey
          onMade={(key) => {
            shown.value = key;
            keys.again();
          }}
        />
      ) : (
        <ShownKey
          of={shown.value}
          onDone={() => {
            shown.value = null;
          }}
        />
      )}
      <Loaded of={keys}>
        {(found) =>
          found.length === 0 ? (
            <p class="nothing">{a.noKeys}</p>
          ) : (
            <ul class="libraries" aria-label={a.keys}>
              {found.map((key) => (
                <KeyRow key={key.id} of={key} onGone={keys.again} />
              ))}
            </ul>
          )
        }
      </Loaded>
    </section>
  );
};
