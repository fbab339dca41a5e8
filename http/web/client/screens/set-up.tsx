// The first account of a new server.

import { t } from '../messages/messages.js';
import { Door } from '../parts/door.js';
import { Fault } from '../parts/fault.js';
import { Field, PasswordField } from '../parts/field.js';
import { useSubmitting } from '../parts/submitting.js';
import { setUp } from '../state/session.js';

export const SetUp = () => {
  const { isBusy, fault, submit } = useSubmitting(({ username = '', email = '', password = '' }) =>
    setUp({ username, email, password }),
  );
  return (
    <Door title={t.door.setUp}>
      <p>{t.door.setUpText}</p>
      <form class="form" onSubmit={submit}>
        <Field
          label={t.door.name}
          name="username"
          autocomplete="username"
          autocapitalize="none"
          maxLength={100}
          required
          autofocus
        />
        <Field label={t.door.email} name="email" type="email" autocomplete="email" maxLength={254} required />
        <PasswordField
          label={t.door.password}
          hint={t.door.passwordHint}
          name="password"
          autocomplete="new-password"
          minLength={8}
          maxLength={1024}
          required
        />
        <Fault text={fault.value} />
        <button type="submit" class="button strong wide" disabled={isBusy.value}>
          {t.door.create}
        </button>
      </form>
    </Door>
  );
};
