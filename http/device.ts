// What a request was made on, as far as reading is concerned. The one place that decides it.
import { createHash } from 'node:crypto';
import type { Caller } from '../core/access/sessions.js';
import type { Device, Reader } from '../core/reading/progress.js';
import type { Request } from './adapter.js';
import type { Ctx } from './route.js';

const NAME_MAX = 200;

/** A caller known by an API key is the device of that key; everyone else is told by what their program calls itself. */
const deviceOf = (_caller: Caller, request: Request): Device => {
  const agent = request.header('user-agent');
  const hash = createHash('sha256').update(agent).digest('hex').slice(0, 16);
  return { id: `ua-${hash}`, name: agent === '' ? null : agent.slice(0, NAME_MAX) };
};

export const readerOf = ({ caller, viewer, request }: Pick<Ctx<Caller>, 'caller' | 'viewer' | 'request'>): Reader => ({
  viewer,
  device: deviceOf(caller, request),
});
