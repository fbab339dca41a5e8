// E-readers of people, asked through dispatch.
import { createHash } from 'node:crypto';
import type { Answer, CallOptions, TempApp } from '../app.js';

export const md5 = (words: string): string => createHash('md5').update(words).digest('hex');

export interface Place {
  readonly document: string;
  readonly progress: string;
  readonly percentage: number;
  readonly device?: string;
  readonly device_id?: string;
}

export interface Device {
  push(place: Place): Promise<Answer>;
  pull(document: string): Promise<Answer>;
}

/** Signed in by these headers, with this id. */
export const deviceWith = ({ call }: Pick<TempApp, 'call'>, options: CallOptions, id: string): Device => ({
  push: (place) =>
    call('PUT', '/koreader/syncs/progress', {
      ...options,
      body: { device: `Reader ${id}`, device_id: id, ...place },
    }),
  pull: (document) => call('GET', `/koreader/syncs/progress/${document}`, options),
});

/** Headers of somebody's device. */
export const signedIn = (name: string, secret: string): CallOptions => ({
  headers: { 'x-auth-user': name, 'x-auth-key': md5(secret) },
});
