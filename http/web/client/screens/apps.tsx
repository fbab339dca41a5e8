// Connecting other apps: the addresses of the server, API keys to sign in with, and the secret for e-readers.
import { AppAddresses, LocalOnlyNotice } from '../apps/app-addresses.js';
import { CopyField } from '../apps/copy-field.js';
import { Keys } from '../apps/keys.js';
import { SyncSecret } from '../apps/sync-secret.js';
import { a, loadAppsMessages } from '../messages/apps-messages.js';
import { t } from '../messages/messages.js';
import { Loaded, useFetched } from '../parts/fetched.js';
import { useTitle } from '../parts/title.js';
import { appAddresses } from '../state/api.js';
import { linkTo } from '../state/router.js';
import { session } from '../state/session.js';

await loadAppsMessages();

export const Apps = () => {
  useTitle(a.title);
  const found = useFetched((signal) => appAddresses({ signal }), []);
  return (
    <div class="settings">
      <hgroup>
        <p class="eyebrow">
          <a class="text-link" href={linkTo('settings')}>
            {t.app.settings}
          </a>
        </p>
        <h1>{a.title}</h1>
      </hgroup>
      <Loaded of={found}>
        {({ addresses }) => (
          <>
            {addresses.length > 0 && (
              <section aria-labelledby="addresses">
                <h2 id="addresses">{a.addresses}</h2>
                <p class="lead">
                  {a.lead} {a.signIn}
                </p>
                <LocalOnlyNotice />
                {session.value.kind === 'user' && (
                  <div class="app-user">
                    <CopyField label={a.userName} text={session.value.me.username} />
                  </div>
                )}
                <AppAddresses addresses={addresses} />
              </section>
            )}
            <Keys />
            {addresses.some(({ kind }) => kind === 'sync') && <SyncSecret />}
          </>
        )}
      </Loaded>
    </div>
  );
};
