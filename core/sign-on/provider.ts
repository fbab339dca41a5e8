// One OpenID Connect provider: its addresses and keys, the code flow (with PKCE, state and nonce), and its access tokens. Only importer of
// openid-client.
import * as oidc from 'openid-client';
import { type KeySet, keySetOf, type ProviderClaims, providerClaimsOf, unknownKey } from '../access/tokens.js';
import type { Clock } from '../engine/clock.js';
import { AppError } from '../model/errors.js';
import type { Claims } from './claims.js';
import type { ProviderOptions } from './options.js';
import { ProviderRequests } from './provider-requests.js';
import { Remembered } from './remembered.js';

const METADATA = { validMs: 3_600_000, failureMs: 5000 };
const KEYS = { validMs: 600_000, failureMs: 5000 };
/** A token signed with an unknown key makes us fetch the keys again, but at most this often. */
const KEYS_RENEWED_MS = 30_000;
const TIMEOUT_S = 10;

/** What a flow keeps secret until the browser comes back. */
export interface Proof {
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
}

/** Whom a provider has signed in. */
export interface Told {
  readonly issuer: string;
  readonly subject: string;
  /** Of the ID token, and of the userinfo endpoint if there is one. */
  readonly claims: readonly [Claims, ...Claims[]];
}

/** The provider sent the browser back with an error instead of a code. */
export class Declined extends Error {}

const isProviderFailed = (thrown: unknown): thrown is AppError =>
  thrown instanceof AppError && (thrown.kind === 'ProviderFailed' || thrown.kind === 'Overloaded');

/** Our own error among an error and its causes, since it says most. */
const oursIn = (thrown: unknown): unknown => {
  for (let at = thrown; at instanceof Error; at = at.cause) if (isProviderFailed(at)) return at;
  return thrown;
};

/** In a header, unless the provider accepts it only in the body. */
const clientAuth = (secret: string | null): oidc.ClientAuth => {
  if (secret === null) return oidc.None();
  const [inHeader, inBody] = [oidc.ClientSecretBasic(secret), oidc.ClientSecretPost(secret)];
  return (server, ...rest) => {
    const methods = server.token_endpoint_auth_methods_supported ?? ['client_secret_basic'];
    return (methods.includes('client_secret_basic') ? inHeader : inBody)(server, ...rest);
  };
};

const sameAddress = (a: string, b: string): boolean =>
  URL.canParse(a) && URL.canParse(b) && new URL(a).href === new URL(b).href;

export class Provider {
  readonly options: ProviderOptions;
  readonly #redirectUri: string;
  readonly #clock: Clock;
  readonly #requests: ProviderRequests;
  readonly #metadata: Remembered<oidc.Configuration>;
  readonly #keys: Remembered<KeySet>;

  constructor(options: ProviderOptions, redirectUri: string, clock: Clock) {
    this.options = options;
    // As the library writes it in the second request: providers compare the two character by character (RFC 6749 4.1.3).
    this.#redirectUri = new URL(redirectUri).href;
    this.#clock = clock;
    this.#requests = new ProviderRequests(options.name);
    this.#metadata = new Remembered(clock, METADATA, () => this.#discover());
    this.#keys = new Remembered(clock, KEYS, () => this.#fetchKeys());
  }

  /** Where a browser signs in. */
  async address({ state, nonce, verifier }: Proof): Promise<string> {
    const config = await this.#metadata.get();
    const url = oidc.buildAuthorizationUrl(config, {
      redirect_uri: this.#redirectUri,
      scope: [...new Set(['openid', ...this.options.scopes])].join(' '),
      code_challenge: await oidc.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
      state,
      nonce,
    });
    return url.href;
  }

  /**
   * Who has signed in, from the query that the browser brings back. Throws ProviderFailed, Declined, or an error that says what is
   * wrong.
   */
  async told(query: string, { state, nonce, verifier }: Proof): Promise<Told> {
    const config = await this.#metadata.get();
    try {
      const tokens = await oidc.authorizationCodeGrant(config, new URL(`${this.#redirectUri}?${query}`), {
        pkceCodeVerifier: verifier,
        expectedState: state,
        expectedNonce: nonce,
        idTokenExpected: true,
      });
      const claims = tokens.claims();
      if (claims === undefined) throw new Error('there is no ID token');
      const { issuer, userinfo_endpoint: userinfo } = config.serverMetadata();
      const more = userinfo === undefined ? [] : [await oidc.fetchUserInfo(config, tokens.access_token, claims.sub)];
      return { issuer, subject: claims.sub, claims: [claims, ...more] };
    } catch (thrown) {
      if (thrown instanceof oidc.AuthorizationResponseError) throw new Declined(thrown.error, { cause: thrown });
      throw oursIn(thrown);
    }
  }

  /** Whether a token's issuer is this provider. */
  isIssuer(claimed: string): boolean {
    return sameAddress(claimed, this.options.issuerUrl);
  }

  /** The subject and issuer of an access token, after verifying it. */
  async find(text: string): Promise<ProviderClaims & { readonly issuer: string }> {
    const { issuer } = (await this.#metadata.get()).serverMetadata();
    const { acceptedAudiences, clientId } = this.options;
    const audiences = acceptedAudiences.length > 0 ? acceptedAudiences : [clientId];
    const claimsBy = async (keys: KeySet) =>
      providerClaimsOf(text, { keys, issuer, audiences, nowMs: this.#clock.now() });
    const found =
      (await claimsBy(await this.#keys.get())) ?? (await claimsBy(await this.#keys.newerThan(KEYS_RENEWED_MS)));
    if (found === undefined) throw unknownKey();
    return { ...found, issuer };
  }

  stop(): void {
    this.#requests.stop();
  }

  async #discover(): Promise<oidc.Configuration> {
    const { issuerUrl, clientId, clientSecret } = this.options;
    const issuer = new URL(issuerUrl);
    const isPlain = issuer.protocol === 'http:'; // the settings allow this only for the local computer
    try {
      const config = await oidc.discovery(issuer, clientId, undefined, clientAuth(clientSecret), {
        [oidc.customFetch]: (address, options) => this.#requests.fetch(address, options as RequestInit),
        timeout: TIMEOUT_S,
        // Signatures of ID tokens are checked although TLS already says where they come from.
        execute: [oidc.enableNonRepudiationChecks, ...(isPlain ? [oidc.allowInsecureRequests] : [])],
      });
      this.#refuseUnsafe(config.serverMetadata(), isPlain);
      return config;
    } catch (thrown) {
      const known = oursIn(thrown);
      throw isProviderFailed(known) ? known : this.#requests.failed(thrown);
    }
  }

  /** Checks the addresses that browsers are sent to and keys are fetched from. */
  #refuseUnsafe({ issuer, authorization_endpoint, jwks_uri }: oidc.ServerMetadata, isPlain: boolean): void {
    if (!this.isIssuer(issuer)) throw new Error(`the metadata is that of ${issuer}`);
    for (const address of [authorization_endpoint, jwks_uri]) {
      const protocol = address !== undefined && URL.canParse(address) ? new URL(address).protocol : '';
      if (protocol !== 'https:' && !(isPlain && protocol === 'http:')) throw new Error('the metadata lacks addresses');
    }
  }

  async #fetchKeys(): Promise<KeySet> {
    const { jwks_uri: address = '' } = (await this.#metadata.get()).serverMetadata();
    const found = await this.#requests.json(address);
    try {
      return keySetOf(found);
    } catch (thrown) {
      throw this.#requests.failed(thrown);
    }
  }
}
