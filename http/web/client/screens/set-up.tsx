// The first account of a new server.

import { t } from '../messages/messages.js';
import { EmailField, NameField, NewPasswordField } from '../parts/account-fields.js';
import { Door } from '../parts/door.js';
import { Fault } from '../parts/fault.js';
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
        <NameField autofocus />
        <EmailField />
        <NewPasswordField label={t.door.password} name="password" hint={t.door.firstPasswordHint} />
        <Fault text={fault.value} />
        <button type="submit" class="button strong wide" disabled={isBusy.value}>
          {t.door.create}
        </button>
      </form>
    </Door>
  );
};
