// Asks for the password again when a session has ended, over the page that stays as it is.
import { useSignalEffect } from '@preact/signals';
import { useRef } from 'preact/hooks';
import { t } from '../messages/messages.js';
import { session, signOut } from '../state/session.js';
import { CredentialsForm } from './credentials-form.js';

export const SignedOutNotice = () => {
  const dialog = useRef<HTMLDialogElement>(null);
  const { value } = session;
  const isEnded = value.kind === 'user' && value.isEnded;
  useSignalEffect(() => {
    const isWanted = session.value.kind === 'user' && session.value.isEnded;
    if (isWanted) dialog.current?.showModal();
    else dialog.current?.close();
  });
  return (
    <dialog ref={dialog} class="dialog" aria-labelledby="ended" onCancel={(event) => event.preventDefault()}>
      <h2 id="ended">{t.auth.ended}</h2>
      <p>{t.auth.endedText}</p>
      {isEnded && <CredentialsForm username={value.me.username} to={location.pathname + location.search} />}
      <button type="button" class="link-button" onClick={() => void signOut()}>
        {t.auth.otherAccount}
      </button>
    </dialog>
  );
};
