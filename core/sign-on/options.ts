// The settings of single sign-on.
import type { Role } from '../model/permissions.js';

export interface ProviderOptions {
  /** As it appears in URLs. */
  readonly name: string;
  readonly displayName: string;
  readonly issuerUrl: string;
  readonly clientId: string;
  readonly clientSecret: string | null;
  readonly scopes: readonly string[];
  /** Groups of the provider whose members get a role here. */
  readonly roleMapping: Readonly<Record<Role, readonly string[]>>;
  readonly groupsClaim: string;
  readonly usernameClaim: string;
  readonly emailClaim: string;
  /** For access tokens; empty means the client id. */
  readonly acceptedAudiences: readonly string[];
}

export interface SignOnOptions {
  /** Empty: single sign-on is off. */
  readonly providers: readonly ProviderOptions[];
  /** Where browsers come back from a provider, without a slash at the end. */
  readonly redirectBase: string;
  /** Redirect URIs of apps. */
  readonly allowedRedirects: readonly string[];
  readonly createsUsers: boolean;
  readonly defaultRole: Role;
  readonly linksByEmail: boolean;
}
