// What to type into other apps.

import { a } from '../messages/apps-messages.js';
import type { AppAddress } from '../state/api.js';
import { serverUrl } from '../state/server-url.js';
import { CopyField } from './copy-field.js';

/** The address at which this browser reaches the server; an app on the same network can use it too. */
const addressOf = ({ path }: AppAddress): string => location.origin + serverUrl(path);
const portAddressOf = (port: number): string => `${location.protocol}//${location.hostname}:${port}`;

/** Host names that always mean the local computer. */
const LOOPBACK = /^(localhost|.*\.localhost|127(\.\d+){3}|\[::1\])$/;

/** Shown if this browser uses an address that other devices cannot reach. */
export const LocalOnlyNotice = () =>
  LOOPBACK.test(location.hostname) ? (
    <div class="panel local-only">
      <p>
        <strong>{a.localTitle}</strong> {a.localText(location.port === '' ? '' : `:${location.port}`)}
      </p>
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
