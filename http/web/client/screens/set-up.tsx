// The first account of a new server.

import { t } from '../messages/messages.js';
import { EmailField, NameField, NewPasswordField } from '../parts/account-fields.js';
import { AuthLayout } from '../parts/auth-layout.js';
import { Fault } from '../parts/error-message.js';
import { useSubmitting } from '../parts/submitting.js';
import { setUp } from '../state/session.js';

export const SetUp = () => {
  const { isBusy, fault, submit } = useSubmitting(({ username = '', email = '', password = '' }) =>
    setUp({ username, email, password }),
  );
  return (
    <AuthLayout title={t.auth.setUp}>
      <p>{t.auth.setUpText}</p>
      <form class="form" onSubmit={submit}>
        <NameField autofocus />
        <EmailField />
        <NewPasswordField label={t.auth.password} name="password" hint={t.auth.firstPasswordHint} />
        <Fault text={fault.value} />
        <button type="submit" class="button primary wide" disabled={isBusy.value}>
          {t.auth.create}
        </button>
      </form>
    </AuthLayout>
  );
};
