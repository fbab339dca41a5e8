// Who asks, and what exists for them. Whatever reads for somebody takes the viewer; a function without one reads for the system. Pure.
import type { Permission } from './permissions.js';

/** What a person is limited to. All limits must be met; keys are those of rows, ascending. */
export interface Scope {
  /** Null: all libraries. */
  readonly libraries: readonly number[] | null;
  /** The highest age rating; null: no limit. */
  readonly ageLimit: number | null;
  /** Whether series without a rating are shown where there is a limit. */
  readonly showUnrated: boolean;
  /** Sharing tags that hide a series, whatever allows it. */
  readonly deniedTags: readonly number[];
  /** Sharing tags of which a series needs one; null: it needs none. */
  readonly allowedTags: readonly number[] | null;
  /** Libraries that are being removed: nothing in them exists for anybody any more. */
  readonly removing: readonly number[];
}

/** The scope of everyone without a restriction. It is one value, so that asking for it is one comparison. */
export const EVERYTHING: Scope = {
  libraries: null,
  ageLimit: null,
  showUnrated: true,
  deniedTags: [],
  allowedTags: null,
  removing: [],
};

/** Whether a person is limited at all; that a library is being removed limits nobody. */
export const isLimited = ({ libraries, ageLimit, deniedTags, allowedTags }: Scope): boolean =>
  libraries !== null || ageLimit !== null || deniedTags.length > 0 || allowedTags !== null;

export interface Viewer {
  readonly userKey: number;
  readonly permissions: ReadonlySet<Permission>;
  readonly scope: Scope;
}

/** A viewer who sees everything. */
export const unrestricted = (userKey: number): Viewer => ({ userKey, permissions: new Set(), scope: EVERYTHING });

/** Whoever did not sign in: nothing exists for them. */
export const NOBODY: Viewer = { userKey: 0, permissions: new Set(), scope: { ...EVERYTHING, libraries: [] } };
