// The secret with which e-readers sign in: shown once when it is made, and nothing but its age afterwards.
import { useSignal } from '@preact/signals';
import { a } from '../messages/apps-messages.js';
import { dateText } from '../messages/messages.js';
import { ErrorMessage } from '../parts/error-message.js';
import { Loaded, useFetched } from '../parts/fetched.js';
import { useSubmitting } from '../parts/submitting.js';
import { userSyncSecret, userSyncSecretPut, userSyncSecretRemove } from '../state/api.js';
import { CopyField } from './copy-field.js';

export const SyncSecret = () => {
  const stored = useFetched((signal) => userSyncSecret({ signal }), []);
  const shown = useSignal<string | null>(null);
  const making = useSubmitting(async () => {
    shown.value = (await userSyncSecretPut({ body: {} })).secret;
    stored.again();
  });
  const removing = useSubmitting(async () => {
    await userSyncSecretRemove();
    shown.value = null;
    stored.again();
  });
  return (
    <section aria-labelledby="secret">
      <h2 id="secret">{a.secret}</h2>
      <p class="lead">{a.secretLead}</p>
      {shown.value !== null && (
        <div class="panel shown-once" role="status">
          <p>{a.secretOnce}</p>
          <CopyField label={a.newSecret} text={shown.value} />
        </div>
      )}
      <Loaded of={stored}>
        {({ isSet, setAt }) => (
          <>
            <p class="dim">{setAt === null ? a.noSecret : `${a.secretSince(dateText(setAt))} ${a.secretReplaced}`}</p>
            <div class="buttons">
              <form onSubmit={making.submit}>
                <button type="submit" class="button" disabled={making.isBusy.value}>
                  {isSet ? a.remakeSecret : a.makeSecret}
                </button>
              </form>
              {isSet && (
                <form onSubmit={removing.submit}>
                  <button type="submit" class="button" disabled={removing.isBusy.value}>
                    {a.removeSecret}
                    <span class="visually-hidden"> {a.secret}</span>
                  </button>
                </form>
              )}
            </div>
          </>
        )}
      </Loaded>
      <ErrorMessage of={making.error.value ?? removing.error.value} />
    </section>
  );
};
