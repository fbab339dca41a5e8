// What to type into other apps.

import { a } from '../messages/apps-messages.js';
import { useFetched } from '../parts/fetched.js';
import { type AppAddress, networkAddresses } from '../state/api.js';
import { serverUrl } from '../state/server-url.js';
import { mayAdminister, session } from '../state/session.js';
import { CopyField } from './copy-field.js';

/** The address at which this browser reaches the server; an app on the same network can use it too. */
const addressOf = ({ path }: AppAddress): string => location.origin + serverUrl(path);
const portAddressOf = (port: number): string => `${location.protocol}//${location.hostname}:${port}`;

/** Host names that always mean the local computer. */
const LOOPBACK = /^(localhost|.*\.localhost|127(\.\d+){3}|\[::1\])$/;

/** The URL of this page at another address of the server, on the port that the browser uses. */
const pageUrlAt = (address: string): string => {
  const port = location.port === '' ? '' : `:${location.port}`;
  return `${location.protocol}//${address.includes(':') ? `[${address}]` : address}${port}${location.pathname}`;
};

/** The addresses at which other devices may reach the server. */
const OtherAddresses = () => {
  const found = useFetched((signal) => networkAddresses({ signal }), []);
  const { value } = found.state;
  if (value.kind !== 'done' || value.value.addresses.length === 0) return null;
  return (
    <>
      <p>{a.otherAddresses(value.value.addresses.length)}</p>
      <div class="other-addresses">
        {value.value.addresses.map((one) => (
          <CopyField key={one} label={one} isLabelHidden text={pageUrlAt(one)} />
        ))}
      </div>
    </>
  );
};

/** Only administrators may see them; and over HTTPS a proxy is in front, which has other addresses. */
const maySeeOthers = (): boolean =>
  location.protocol === 'http:' && session.value.kind === 'user' && mayAdminister(session.value.me);

/** Shown if this browser uses an address that other devices cannot reach. */
export const LocalOnlyNotice = () =>
  LOOPBACK.test(location.hostname) ? (
    <div class="panel local-only">
      <p>
        <strong>{a.localTitle}</strong> {a.localText(location.port === '' ? '' : `:${location.port}`)}
      </p>
      {maySeeOthers() && <OtherAddresses />}
    </div>
  ) : null;

export const AppAddresses = ({ addresses }: { readonly addresses: readonly AppAddress[] }) => (
  <ul class="app-addresses">
    {addresses.map((one) => (
      <li key={one.kind} class="panel">
        <h3>{a.kinds[one.kind]}</h3>
        <p class="hint">{a.explained[one.kind]}</p>
        <CopyField label={a.kinds[one.kind]} isLabelHidden text={addressOf(one)} />
        {one.port !== null && <CopyField label={a.ownPort} text={portAddressOf(one.port)} />}
      </li>
    ))}
  </ul>
);
