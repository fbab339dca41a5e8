// Registration and verification of e-mail addresses as answers show them.
import { orNull, record, text, whole } from '../../surface/wire.js';
import { Login, Me } from './user.js';

const JWT = 'eyJhbGciOiJIUzI1NiJ9.e30.c2lnbmF0dXJl';
const UNLESS_CONFIRMED = 'Null when the account waits for its confirmation.';

const token = () => orNull(text(JWT, UNLESS_CONFIRMED));
const kind = () => orNull(text('Bearer', UNLESS_CONFIRMED));
const seconds = () => orNull(whole(86_400, 'In seconds. Null when the account waits for its confirmation.'));

/** RegisterResponse, in both spellings. */
export const Registered = record('Registered', {
  access_token: token(),
  accessToken: token(),
  token_type: kind(),
  tokenType: kind(),
  expires_in: seconds(),
  expiresIn: seconds(),
  message: text('The account was created.'),
  user: Me,
});

/** VerifyEmailResponse, in both spellings. */
export const VerifiedEmail = record('VerifiedEmail', {
  ...Login.properties,
  message: text('The e-mail address is verified.'),
});
