// Who makes a request, and what exists for them. Every read for a person takes the viewer; a function without one reads for the system.
// Pure.
import type { Permission } from './permissions.js';

/** What a person is limited to. All limits must be met; keys are row keys, ascending. */
export interface Scope {
  /** Null: all libraries. */
  readonly libraries: readonly number[] | null;
  /** The highest age rating; null: no limit. */
  readonly ageLimit: number | null;
  /** Whether series without a rating are shown where there is a limit. */
  readonly showUnrated: boolean;
  /** Sharing tags that hide a series, whatever else allows it. */
  readonly deniedTags: readonly number[];
  /** Sharing tags of which a series needs one; null: it needs none. */
  readonly allowedTags: readonly number[] | null;
  /** Libraries that are being removed: their content no longer exists for anyone. */
  readonly removing: readonly number[];
}

/** The scope of everyone without a restriction. It is a single value, so that checking for it is one comparison. */
export const EVERYTHING: Scope = {
  libraries: null,
  ageLimit: null,
  showUnrated: true,
  deniedTags: [],
  allowedTags: null,
  removing: [],
};

/** Whether a person is restricted at all; a library being removed is not a restriction. */
export const isLimited = ({ libraries, ageLimit, deniedTags, allowedTags }: Scope): boolean =>
  libraries !== null || ageLimit !== null || deniedTags.length > 0 || allowedTags !== null;

/** Whether something in a library that a person sees may be hidden from them. */
export const isLimitedInside = ({ ageLimit, deniedTags, allowedTags }: Scope): boolean =>
  ageLimit !== null || deniedTags.length > 0 || allowedTags !== null;

export interface Viewer {
  readonly userKey: number;
  readonly permissions: ReadonlySet<Permission>;
  /** An administrator's account, and permissions for it: sharing tags and libraries are administered without the scope. */
  readonly administers: boolean;
  readonly scope: Scope;
}

/** A viewer who sees everything. */
export const unrestricted = (userKey: number): Viewer => ({
  userKey,
  permissions: new Set(),
  administers: false,
  scope: EVERYTHING,
});

/** A visitor who is not signed in: nothing exists for them. */
export const NOBODY: Viewer = {
  userKey: 0,
  permissions: new Set(),
  administers: false,
  scope: { ...EVERYTHING, libraries: [] },
};
