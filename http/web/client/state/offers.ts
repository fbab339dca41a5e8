// What this server offers to those who are not signed in: set-up, registration, a new password.
import { signal } from '@preact/signals';
import { type SetupStatus, setupStatus } from './api.js';

/** Null until the server was asked. */
export const offers = signal<SetupStatus | null>(null);

export const askForOffers = async (): Promise<void> => {
  offers.value = await setupStatus();
};
