// What registration and mails share: the settings, the queue of mails, and the limits on requests for mails.
import { createHash } from 'node:crypto';
import type { Clock } from '../engine/clock.js';
import { AppError } from '../model/errors.js';
import { userNameKey } from '../model/name-key.js';
import type { Letter } from './mail-texts.js';
import { type MailOptions, type MailParts, Mails } from './mails.js';
import { peerOf } from './peers.js';
import { RequestRate } from './request-rate.js';

export interface RegistrationOptions {
  /** Whether people may create accounts for themselves, unless an administrator decides otherwise. */
  readonly isOpen: boolean;
  /** Whether such an account waits until its address was verified. */
  readonly isConfirmed: boolean;
  /** How long a link works that verifies an address. */
  readonly linkLifetimeMs: number;
}

export interface MailRates {
  /** Throws if this client address has made too many requests. */
  takeFrom(address: string): void;
  /** Whether one more mail may go to an address. Clients are not told: it looks as if the mail had been sent. */
  mayMail(email: string): boolean;
}

export interface RegistrationState {
  readonly registration: Omit<RegistrationOptions, 'isOpen'>;
  /** Whether people may create accounts for themselves now. */
  readonly isRegistrationOpen: () => boolean;
  readonly mails: Mails;
  readonly mailRates: MailRates;
}

const HOUR_S = 3600;
const FROM_PLACE = { burst: 20, perSecond: 20 / HOUR_S };
/** Of all /64 of one /48, which may belong to one customer. */
const FROM_SITE = { burst: 100, perSecond: 100 / HOUR_S };
const TO_ADDRESS = { burst: 3, perSecond: 6 / HOUR_S };

const openMailRates = (clock: Clock): MailRates => {
  const places = new RequestRate(clock, FROM_PLACE);
  const sites = new RequestRate(clock, FROM_SITE);
  const addresses = new RequestRate(clock, TO_ADDRESS);
  return {
    takeFrom: (address) => {
      const { home, site } = peerOf(address);
      const retryS = places.takeOf(home).retryS ?? (site === null ? null : sites.takeOf(site).retryS);
      if (retryS === null) return;
      throw new AppError('TooManyRequests', `Too many requests; try again in ${retryS} s.`, { retry_after: retryS });
    },
    mayMail: (email) => addresses.takeOf(createHash('sha256').update(userNameKey(email)).digest('hex')).retryS === null,
  };
};

export interface RegistrationSettings {
  readonly registration: RegistrationOptions;
  readonly mail: MailOptions;
}

export const openRegistration = (
  {
    registration,
    isOpen,
    mail,
    ...parts
  }: RegistrationSettings & { readonly isOpen: () => boolean } & Omit<MailParts, 'clock'>,
  clock: Clock,
): RegistrationState => ({
  registration,
  isRegistrationOpen: isOpen,
  mails: new Mails(mail, { ...parts, clock }),
  mailRates: openMailRates(clock),
});

/** The same for everybody and for every address: what it is about is looked up after the answer. */
export const postTo = (
  { mails, mailRates }: Pick<RegistrationState, 'mails' | 'mailRates'>,
  email: string,
  draft: () => Promise<Letter | null>,
): void => {
  if (mailRates.mayMail(email)) mails.post(draft);
};
