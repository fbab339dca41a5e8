// Form fields for creating or changing an account, and for a new password.

import { t } from '../messages/messages.js';
import { Field, PasswordField } from './field.js';

export const NameField = ({ autofocus = false, value }: { readonly autofocus?: boolean; readonly value?: string }) => (
  <Field
    label={t.auth.name}
    name="username"
    autocomplete="username"
    autocapitalize="none"
    spellcheck={false}
    maxLength={100}
    required
    autofocus={autofocus}
    {...(value === undefined ? {} : { defaultValue: value })}
  />
);

export const EmailField = ({ autofocus = false, value }: { readonly autofocus?: boolean; readonly value?: string }) => (
  <Field
    label={t.auth.email}
    name="email"
    type="email"
    autocomplete="email"
    maxLength={254}
    required
    autofocus={autofocus}
    {...(value === undefined ? {} : { defaultValue: value })}
  />
);

interface NewPasswordProps {
  readonly label: string;
  readonly name: string;
  readonly hint?: string;
  readonly autofocus?: boolean;
}

export const NewPasswordField = ({ hint = t.auth.passwordHint, ...props }: NewPasswordProps) => (
  <PasswordField hint={hint} autocomplete="new-password" minLength={8} maxLength={1024} required {...props} />
);
