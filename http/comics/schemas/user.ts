// Users of the comic-server API, and their keys.
import Type from 'typebox';
import { orNull, record, text, whole, word, yes } from '../../surface/wire.js';
import { id, moment } from './fields.js';

const AgeRestriction = record('ComicAgeRestriction', {
  age: whole(12),
  restriction: word(['ALLOW_ONLY', 'EXCLUDE'], 'Up to this age and nothing without a rating, or all below this age.'),
});

export const User = record('ComicUser', {
  id: id(),
  email: text('ann', 'As it was typed, if a name was sent.'),
  roles: Type.Array(text('USER')),
  sharedAllLibraries: yes(true),
  sharedLibrariesIds: Type.Array(id()),
  labelsAllow: Type.Array(text('family'), { description: 'For administrators; empty for others.' }),
  labelsExclude: Type.Array(text('grown-ups')),
  ageRestriction: orNull(AgeRestriction),
});

export const Key = record('ComicKey', {
  id: id(),
  userId: id(),
  key: text('******', 'Shown only in the answer that creates it.'),
  comment: text('KOReader'),
  createdDate: moment(),
  lastModifiedDate: moment(),
});

export const SignIn = record('ComicSignIn', {
  userId: orNull(id()),
  email: orNull(text('ann@example.org')),
  apiKeyId: orNull(id()),
  apiKeyComment: orNull(text('KOReader', 'Not stored, like the next two: always null.')),
  ip: orNull(text('192.168.1.20')),
  userAgent: orNull(text('KOReader')),
  success: yes(true),
  error: orNull(text('Bad credentials')),
  dateTime: moment(),
  source: orNull(text('Password')),
});
