// The device a request was made on, for reading progress. Decided only here.
import { hash } from 'node:crypto';
import type { Caller } from '../../core/access/caller.js';
import { boundedByCount } from '../../core/model/bounded-map.js';
import type { Device, Reader } from '../../core/reading/progress.js';
import type { Request } from '../server/adapter.js';
import type { Ctx } from './route.js';

const NAME_MAX = 200;
/** The device id that an app sends, in visible ASCII. */
const OWN_ID = /^[\x21-\x7e]{1,128}$/;

const KNOWN_MAX = 256;
/** Longer ones are hashed each time. */
const KNOWN_CHARACTERS = 512;

/** An app sends the same text with every page. */
const known = boundedByCount<string, string>(KNOWN_MAX);

const hashOf = (text: string): string => {
  const found = known.get(text);
  if (found !== undefined) return found;
  const made = hash('sha256', text, 'hex').slice(0, 16);
  if (text.length <= KNOWN_CHARACTERS) known.set(text, made);
  return made;
};

/** With an API key, the key is the device; otherwise it is the id that the app sends, or else the User-Agent. */
const deviceOf = ({ via }: Caller, request: Request): Device => {
  if (via.kind === 'api-key') return { id: via.id, name: via.name };
  const [agent, own] = [request.header('user-agent'), request.header('x-codex-device-id')];
  const id = OWN_ID.test(own) ? `app-${hashOf(own)}` : `ua-${hashOf(agent)}`;
  return { id, name: agent === '' ? null : agent.slice(0, NAME_MAX) };
};

export const readerOf = ({ caller, viewer, request }: Pick<Ctx<Caller>, 'caller' | 'viewer' | 'request'>): Reader => ({
  viewer,
  device: deviceOf(caller, request),
});
