// E-reader sync, as KOReader's plugin speaks it: accounts, and the place in each document.
import Type from 'typebox';
import { registerDevice } from '../../core/access/device-registration.js';
import { AppError, type ErrorKind } from '../../core/model/errors.js';
import type { App } from '../../core/start.js';
import { askForDocument, reportDocument, type Told } from '../../core/sync/documents.js';
import type { Reply } from '../server/adapter.js';
import { json } from '../surface/reply.js';
import { type Route, route } from '../surface/route.js';
import { number, record, text, whole, word } from '../surface/wire.js';
import { deviceIn, isDocument, reportIn } from './bodies.js';
import { FAULTS, faultReply, SyncFault } from './faults.js';

const BODY = { type: 'application/json', maxBytes: 64 * 1024 };

const State = record('SyncState', { state: word(['OK']) });
const Authorized = record('SyncAuthorized', { authorized: word(['OK']) });
const Registered = record('SyncRegistered', { username: text('ann') });
const Stored = record('SyncStored', {
  document: text('8b03b0cf1e2ab5e3d17b4b1f0a2f9f0f'),
  timestamp: whole(1790005119),
});
/** Without fields: nothing is known of the document. */
const Place = record('SyncPlace', {
  document: Type.Optional(text('8b03b0cf1e2ab5e3d17b4b1f0a2f9f0f')),
  progress: Type.Optional(text('12')),
  percentage: Type.Optional(number(0.25)),
  device: Type.Optional(text('Kobo Clara')),
  device_id: Type.Optional(text('6D0C5C0A')),
  timestamp: Type.Optional(whole(1790005119)),
});

/** Devices compare with their own clocks, in whole seconds. */
const secondsOf = (ms: number): number => Math.floor(ms / 1000);

const placeView = (document: string, { progress, percentage, device, deviceId, readAt }: Told) => ({
  document,
  progress,
  percentage,
  device,
  ...(deviceId === null ? {} : { device_id: deviceId }),
  timestamp: secondsOf(readAt),
});

/** What this protocol says otherwise than by the status of the error. */
const OWN_FAULTS: Partial<Record<ErrorKind, (typeof FAULTS)[keyof typeof FAULTS]>> = {
  BadRequest: FAULTS.invalid,
  Conflict: FAULTS.taken,
  Forbidden: FAULTS.closed,
};

const registered = async (app: App, address: string, body: Uint8Array): Promise<Reply> => {
  const wanted = deviceIn(body);
  if (wanted === undefined) return faultReply(FAULTS.invalid);
  try {
    const { username } = await registerDevice(app, { caller: null, address }, wanted);
    return json(201, { username });
  } catch (thrown) {
    const fault = thrown instanceof AppError ? OWN_FAULTS[thrown.kind] : undefined;
    if (fault === undefined || !(thrown instanceof AppError)) throw thrown;
    return faultReply(fault, thrown.kind === 'Conflict' ? fault.message : thrown.message);
  }
};

/** `isOpen`: whether devices may create accounts. */
const accountRows = (isOpen: boolean): readonly Route[] => [
  route({
    id: 'sync.register',
    method: 'POST',
    path: '/users/create',
    access: 'public',
    raw: BODY,
    reply: { 201: Registered, 402: SyncFault, 403: SyncFault },
    fails: ['TooManyRequests'],
    about: 'Creates an account that can do nothing but synchronise documents, if an administrator allows it.',
    run: ({ app, request, clientAddress }) =>
      isOpen ? registered(app, clientAddress(), request.body) : faultReply(FAULTS.closed),
  }),
  route({
    id: 'sync.authorize',
    method: 'GET',
    path: '/users/auth',
    access: 'ProgressRead',
    reply: { 200: Authorized },
    about: 'Whether the device is signed in.',
    run: () => json(200, { authorized: 'OK' }),
  }),
];

const progressRows: readonly Route[] = [
  route({
    id: 'sync.report',
    method: 'PUT',
    path: '/syncs/progress',
    access: 'ProgressWrite',
    raw: BODY,
    reply: { 200: Stored, 403: SyncFault },
    about: 'Stores the place in a document. The last report wins.',
    run: async ({ app, viewer, request }) => {
      const report = reportIn(request.body);
      if ('fault' in report) return faultReply(report.fault, report.message);
      const at = await reportDocument(app, viewer, report);
      return json(200, { document: report.document, timestamp: secondsOf(at) });
    },
  }),
  route({
    id: 'sync.ask',
    method: 'GET',
    path: '/syncs/progress/{document}',
    access: 'ProgressRead',
    params: Type.Object({ document: Type.String() }),
    reply: { 200: Place, 403: SyncFault },
    about: 'The newest place in a document; an empty object if nothing is known about it.',
    run: async ({ app, viewer }, { params: { document } }) => {
      if (!isDocument(document)) return faultReply(FAULTS.document);
      const told = await askForDocument(app, viewer, document);
      return json(200, told === undefined ? {} : placeView(document, told));
    },
  }),
  route({
    id: 'sync.health',
    method: 'GET',
    path: '/healthcheck',
    access: 'public',
    reply: { 200: State },
    about: 'Whether the server answers.',
    run: () => json(200, { state: 'OK' }),
  }),
];

export const syncRows = (isOpen: boolean): readonly Route[] => [...accountRows(isOpen), ...progressRows];
