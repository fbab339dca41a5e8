// A user's own settings: appearance in this browser, account, password, sessions, and signing out.

import { useSignal } from '@preact/signals';
import { explain, plainly } from '../messages/explain.js';
import { t, timeText } from '../messages/messages.js';
import { NewPasswordField } from '../parts/account-fields.js';
import { Choice } from '../parts/choice.js';
import { ErrorMessage } from '../parts/error-message.js';
import { Loaded, useFetched } from '../parts/fetched.js';
import { PasswordField } from '../parts/field.js';
import { useSubmitting } from '../parts/submitting.js';
import { useTitle } from '../parts/title.js';
import { authPassword, type Session, userSessions, userSessionsEnd } from '../state/api.js';
import { type Explanation, invalidFieldOf } from '../state/api-errors.js';
import { chooseLanguage, chooseTheme, LANGUAGES, language, THEMES, theme } from '../state/appearance.js';
import { linkTo } from '../state/router.js';
import { session, signOut } from '../state/session.js';
import { Profile } from './profile.js';

const Appearance = () => (
  <section aria-labelledby="look">
    <h2 id="look">{t.settings.look}</h2>
    <div class="filters">
      <Choice
        label={t.settings.theme}
        value={theme.value}
        options={THEMES.map((one) => [one, t.settings.themes[one]] as const)}
        onChoose={chooseTheme}
      />
      <Choice
        label={t.settings.language}
        value={language}
        options={LANGUAGES.map((one) => [one, t.settings.languages[one]] as const)}
        onChoose={chooseLanguage}
      />
    </div>
    <p class="hint">{t.settings.lookHint}</p>
  </section>
);

const explainPassword = (thrown: unknown): Explanation =>
  invalidFieldOf(thrown) === 'currentPassword' ? plainly(t.settings.wrongPassword) : explain(thrown);

/** The name is there for programs that keep passwords. */
const Password = ({ username, onDone }: { readonly username: string; readonly onDone: () => void }) => {
  const isDone = useSignal(false);
  const { isBusy, error, submit } = useSubmitting(async ({ currentPassword = '', newPassword = '' }) => {
    isDone.value = false;
    await authPassword({ body: { currentPassword, newPassword, cookie: true } });
    isDone.value = true;
    onDone();
  }, explainPassword);
  return (
    <section aria-labelledby="password">
      <h2 id="password">{t.settings.password}</h2>
      {isDone.value ? (
        <p role="status">{t.settings.passwordDone}</p>
      ) : (
        <form class="form narrow" onSubmit={submit}>
          <input type="text" name="username" autocomplete="username" value={username} hidden readOnly />
          <PasswordField
            label={t.settings.oldPassword}
            name="currentPassword"
            autocomplete="current-password"
            required
          />
          <NewPasswordField label={t.settings.newPassword} name="newPassword" />
          <ErrorMessage of={error.value} />
          <div>
            <button type="submit" class="button" disabled={isBusy.value}>
              {t.settings.changePassword}
            </button>
          </div>
        </form>
      )}
    </section>
  );
};

const BROWSERS = ['Firefox', 'Edg', 'OPR', 'Chrome', 'Safari'] as const;
const NAMES: Readonly<Record<string, string>> = { Edg: 'Edge', OPR: 'Opera' };
const SYSTEMS = ['Android', 'iPhone', 'iPad', 'Windows', 'Mac OS', 'Linux'] as const;

/** What a browser says of itself, in two words; an app's own words as they are. */
const deviceOf = (userAgent: string | null): string => {
  if (userAgent === null) return t.settings.unknownDevice;
  const browser = BROWSERS.find((one) => userAgent.includes(`${one}/`));
  const system = SYSTEMS.find((one) => userAgent.includes(one));
  return browser === undefined
    ? userAgent.slice(0, 60)
    : [NAMES[browser] ?? browser, system].filter(Boolean).join(', ');
};

const SessionRow = ({ of, onEnded }: { readonly of: Session; readonly onEnded: () => void }) => {
  const error = useSignal<Explanation | null>(null);
  const end = (): void => {
    userSessionsEnd({ id: of.id }).then(onEnded, (thrown: unknown) => {
      error.value = explain(thrown);
    });
  };
  return (
    <li class="library">
      <div class="library-link">
        <span class="library-name">{deviceOf(of.userAgent)}</span>
        <span class="dim">
          {of.current ? t.settings.thisDevice : t.settings.lastSeen(timeText(of.lastSeenAt))}
          {of.address !== null && ` · ${of.address}`}
        </span>
      </div>
      {!of.current && (
        <button type="button" class="button" onClick={end}>
          {t.settings.end}
        </button>
      )}
      <ErrorMessage of={error.value} />
    </li>
  );
};

/** `revision`: changes when they may have ended elsewhere. */
const Sessions = ({ revision }: { readonly revision: number }) => {
  const sessions = useFetched((signal) => userSessions({ signal }), [revision], { keepsOld: 'even on errors' });
  return (
    <section aria-labelledby="sessions">
      <h2 id="sessions">{t.settings.sessions}</h2>
      <Loaded of={sessions}>
        {(found) => (
          <ul class="libraries">
            {found.map((one) => (
              <SessionRow key={one.id} of={one} onEnded={sessions.again} />
            ))}
          </ul>
        )}
      </Loaded>
    </section>
  );
};

export const Settings = () => {
  useTitle(t.app.settings);
  const leaving = useSubmitting(() => signOut());
  /** How often the password was changed here: that signs out all other devices. */
  const passwords = useSignal(0);
  const me = session.value.kind === 'user' ? session.value.me : null;
  return (
    <div class="settings">
      <div class="head">
        <h1>{t.app.settings}</h1>
        <form onSubmit={leaving.submit}>
          <button type="submit" class="button" disabled={leaving.isBusy.value}>
            {t.auth.signOut}
          </button>
        </form>
      </div>
      <ErrorMessage of={leaving.error.value} />
      <Appearance />
      {me !== null && <Profile me={me} />}
      {me !== null && (
        <Password
          username={me.username}
          onDone={() => {
            passwords.value += 1;
          }}
        />
      )}
      <section aria-labelledby="apps">
        <h2 id="apps">{t.settings.apps}</h2>
        <p class="lead">{t.settings.appsText}</p>
        <a class="button" href={linkTo('apps')}>
          {t.settings.appsLink}
        </a>
      </section>
      <Sessions revision={passwords.value} />
    </div>
  );
};
