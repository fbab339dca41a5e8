// What is wrong with the settings of single sign-on taken together, as sentences. Each value alone was checked before.
import type { Config } from './config-keys.js';

type Provider = Config['auth']['oidc']['providers'][string];

const OIDC = 'auth.oidc';

const SECRET = '.client_secret';

/** Puts secrets in place whose settings name a variable; returns what is wrong with those. */
export const takeSecrets = (
  values: Map<string, unknown>,
  environment: Readonly<Record<string, string | undefined>>,
): readonly string[] => {
  if (values.get(`${OIDC}.enabled`) !== true) return [];
  return [...values].flatMap(([path, variable]) => {
    if (!path.startsWith(`${OIDC}.providers.`) || !path.endsWith(`${SECRET}_env`) || typeof variable !== 'string')
      return [];
    const own = path.slice(0, -'_env'.length);
    if (values.get(own) !== null) return [`${own} and ${path} are both set; keep one.`];
    const text = environment[variable];
    if (!text) return [`${path} names the variable ${variable}, but it is not set.`];
    values.set(own, text);
    return [];
  });
};

const providerFaults = (name: string, { issuerUrl, clientId }: Provider): string[] => {
  const at = `${OIDC}.providers.${name}`;
  return [
    ...(issuerUrl === null ? [`${at}.issuer_url is missing.`] : []),
    ...(clientId === null ? [`${at}.client_id is missing.`] : []),
  ];
};

/** Two providers with one address could not be told apart by what they say, nor by another spelling of it. */
const twiceFaults = (providers: Readonly<Record<string, Provider>>): string[] => {
  const issuers = Object.values(providers).flatMap(({ issuerUrl }) =>
    issuerUrl === null ? [] : new URL(issuerUrl).href,
  );
  const twice = issuers.filter((one, index) => issuers.indexOf(one) !== index);
  return [...new Set(twice)].map((one) => `${OIDC}.providers: the issuer ${one} is named twice.`);
};

export const signOnFaults = ({ application, auth: { oidc } }: Config): readonly string[] => {
  if (!oidc.enabled) return [];
  const providers = Object.entries(oidc.providers);
  const base = oidc.redirectUriBase ?? application.baseUrl;
  return [
    ...(providers.length === 0 ? [`${OIDC}.enabled is true, but ${OIDC}.providers names no provider.`] : []),
    ...(base === null
      ? [`${OIDC}.enabled needs application.base_url or ${OIDC}.redirect_uri_base: providers send browsers back there.`]
      : []),
    ...providers.flatMap(([name, provider]) => providerFaults(name, provider)),
    ...twiceFaults(oidc.providers),
  ];
};
