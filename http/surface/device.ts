// The device a request was made on, for reading progress. Decided only here.
import { createHash } from 'node:crypto';
import type { Caller } from '../../core/access/caller.js';
import type { Device, Reader } from '../../core/reading/progress.js';
import type { Request } from '../server/adapter.js';
import type { Ctx } from './route.js';

const NAME_MAX = 200;

/** A caller with an API key is the device of that key; for everyone else the User-Agent decides. */
const deviceOf = ({ via }: Caller, request: Request): Device => {
  if (via.kind === 'api-key') return { id: via.id, name: via.name };
  const agent = request.header('user-agent');
  const hash = createHash('sha256').update(agent).digest('hex').slice(0, 16);
  return { id: `ua-${hash}`, name: agent === '' ? null : agent.slice(0, NAME_MAX) };
};

export const readerOf = ({ caller, viewer, request }: Pick<Ctx<Caller>, 'caller' | 'viewer' | 'request'>): Reader => ({
  viewer,
  device: deviceOf(caller, request),
});
