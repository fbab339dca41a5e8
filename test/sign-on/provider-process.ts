// A real OpenID Connect provider in a process of its own: node provider-process.js SETTINGS. Prints its port. Whoever comes is signed in as the
// person whom the address of the question names; PUT /people says who there is.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface ProviderSettings {
  readonly clientId: string;
  readonly clientSecret: string;
  readonly redirectUris: readonly string[];
  readonly jwks: unknown;
}

interface Question {
  readonly prompt: { readonly name: string };
  readonly params: { readonly client_id: string; readonly scope: string };
}

interface Grant {
  addOIDCScope(scope: string): void;
  save(): Promise<string>;
}

/** The parts of the package that are used here; it has no types of its own. */
interface Provider {
  readonly Grant: new (of: { readonly accountId: string; readonly clientId: string }) => Grant;
  callback(): (request: IncomingMessage, response: ServerResponse) => void;
  interactionDetails(request: IncomingMessage, response: ServerResponse): Promise<Question>;
  interactionFinished(request: IncomingMessage, response: ServerResponse, result: unknown): Promise<void>;
}

const PACKAGE = 'oidc-provider';

let people: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {};

const configurationOf = ({ clientId, clientSecret, redirectUris, jwks }: ProviderSettings) => ({
  clients: [{ client_id: clientId, client_secret: clientSecret, redirect_uris: redirectUris }],
  jwks,
  cookies: { keys: ['of this test alone'] },
  features: { devInteractions: { enabled: false } },
  pkce: { required: () => true },
  claims: {
    openid: ['sub'],
    profile: ['preferred_username', 'name'],
    email: ['email', 'email_verified'],
    groups: ['groups'],
  },
  interactions: { url: (_ctx: unknown, { uid }: { readonly uid: string }) => `/interaction/${uid}` },
  findAccount: (_ctx: unknown, id: string) =>
    people[id] === undefined ? undefined : { accountId: id, claims: () => ({ ...people[id], sub: id }) },
});

/** Answers the question with what its address says. */
const answer = async (provider: Provider, request: IncomingMessage, response: ServerResponse): Promise<void> => {
  const accountId = new URL(request.url ?? '', 'http://provider').searchParams.get('as') ?? '';
  const { prompt, params } = await provider.interactionDetails(request, response);
  if (accountId === '') return provider.interactionFinished(request, response, { error: 'access_denied' });
  if (prompt.name === 'login') return provider.interactionFinished(request, response, { login: { accountId } });
  const grant = new provider.Grant({ accountId, clientId: params.client_id });
  grant.addOIDCScope(params.scope);
  return provider.interactionFinished(request, response, { consent: { grantId: await grant.save() } });
};

const read = async (request: IncomingMessage): Promise<string> => {
  const pieces: Buffer[] = [];
  for await (const piece of request) pieces.push(piece);
  return Buffer.concat(pieces).toString();
};

const serve = (settings: ProviderSettings): void => {
  const server = createServer();
  server.listen(0, '127.0.0.1', async () => {
    const { port } = server.address() as AddressInfo;
    const { default: Made } = (await import(PACKAGE)) as {
      default: new (issuer: string, configuration: object) => Provider;
    };
    const provider = new Made(`http://127.0.0.1:${port}`, configurationOf(settings));
    const others = provider.callback();
    server.on('request', async (request, response) => {
      try {
        if (request.url === '/people') {
          people = JSON.parse(await read(request));
          response.end();
        } else if (request.url?.startsWith('/interaction/')) await answer(provider, request, response);
        else others(request, response);
      } catch (thrown) {
        response.statusCode = 500;
        response.end(String(thrown));
      }
    });
    process.stdout.write(`${port}\n`);
  });
};

serve(JSON.parse(process.argv[2] ?? '{}'));
