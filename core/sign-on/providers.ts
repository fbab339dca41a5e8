// The configured providers, and the owners of their access tokens.
import type { Caller } from '../access/caller.js';
import type { ProviderTokens } from '../access/callers.js';
import { issuerClaimed, unknownIssuer } from '../access/tokens.js';
import type { Clock } from '../engine/clock.js';
import { AppError } from '../model/errors.js';
import { effectivePermissions } from '../model/permissions.js';
import type { Db } from '../store/db.js';
import { linkedUser } from './accounts.js';
import type { SignOnOptions } from './options.js';
import { Provider } from './provider.js';

export class Providers implements ProviderTokens {
  readonly #db: Db;
  readonly #all: ReadonlyMap<string, Provider>;

  constructor({ providers, redirectBase }: SignOnOptions, db: Db, clock: Clock) {
    this.#db = db;
    const backTo = (name: string): string => `${redirectBase}/api/v1/auth/oidc/${name}/callback`;
    this.#all = new Map(providers.map((one) => [one.name, new Provider(one, backTo(one.name), clock)] as const));
  }

  named(name: string): Provider {
    const found = this.#all.get(name);
    if (found !== undefined) return found;
    throw new AppError('NotFound', 'There is no sign-on provider with this name.');
  }

  find(text: string): Promise<Caller> | undefined {
    if (this.#all.size === 0) return undefined;
    const claimed = issuerClaimed(text);
    return claimed === undefined ? undefined : this.#ownerOf(text, claimed);
  }

  async #ownerOf(text: string, claimed: string): Promise<Caller> {
    const provider = [...this.#all.values()].find((one) => one.isIssuer(claimed));
    if (provider === undefined) throw unknownIssuer();
    const { issuer, subject, untilMs: expiresAt } = await provider.find(text);
    const user = await linkedUser(this.#db, issuer, subject);
    if (user === undefined)
      throw new AppError(
        'Unauthorized',
        'No account is linked to the owner of this token. Sign in with the provider once.',
      );
    if (!user.active) throw new AppError('Unauthorized', 'User account is inactive');
    const permissions = effectivePermissions(user.role, user.permissions);
    return { user, permissions, via: { kind: 'provider', issuer, subject, expiresAt } };
  }

  /** Aborts requests in progress and refuses later ones. */
  stop(): void {
    for (const provider of this.#all.values()) provider.stop();
  }
}
