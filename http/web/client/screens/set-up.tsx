// The first account of a new server.

import { explain, plainly } from '../messages/explain.js';
import { t } from '../messages/messages.js';
import { EmailField, NameField, NewPasswordField } from '../parts/account-fields.js';
import { AuthLayout } from '../parts/auth-layout.js';
import { ErrorMessage } from '../parts/error-message.js';
import { useSubmitting } from '../parts/submitting.js';
import { type Explanation, invalidFieldOf, statusOf } from '../state/api-errors.js';
import { setUp } from '../state/session.js';

/** A refusal that is not about a field: somebody else was faster. */
const explainSetUp = (thrown: unknown): Explanation =>
  statusOf(thrown) === 400 && invalidFieldOf(thrown) === null ? plainly(t.auth.alreadySetUp) : explain(thrown);

export const SetUp = () => {
  const { isBusy, error, submit } = useSubmitting(
    ({ username = '', email = '', password = '' }) => setUp({ username, email, password }),
    explainSetUp,
  );
  return (
    <AuthLayout title={t.auth.setUp}>
      <p>{t.auth.setUpText}</p>
      <form class="form" onSubmit={submit}>
        <NameField autofocus />
        <EmailField />
        <NewPasswordField label={t.auth.password} name="password" hint={t.auth.firstPasswordHint} />
        <ErrorMessage of={error.value} />
        <button type="submit" class="button primary wide" disabled={isBusy.value}>
          {t.auth.create}
        </button>
      </form>
    </AuthLayout>
  );
};
