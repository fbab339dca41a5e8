// Single sign-on: the list of providers, the start of a sign-in, the callback, and the exchange of an app's code for tokens.
import Type from 'typebox';
import { type Ended, FLOW_S, flowIn } from '../../../core/sign-on/sign-on.js';
import type { Reply } from '../../server/adapter.js';
import { cookieIn, loginCookies, signOnCookie, signOnCookieOf } from '../../surface/cookies.js';
import { ok } from '../../surface/replies.js';
import { json } from '../../surface/reply.js';
import { clientOf } from '../../surface/request-parts.js';
import { type Ctx, type Route, route } from '../../surface/route.js';
import { orNull, type Wire } from '../../surface/wire.js';
import { SignOnBegun, SignOnDone, SignOnProviders } from '../schemas/sign-on.js';
import { loginView } from '../views/user.js';

const text = (max: number) => Type.String({ maxLength: max, expected: `text of at most ${max} characters` });

const byProvider = Type.Object({ provider: text(100) });

const optional = (max: number, description: string) =>
  Type.Optional(orNull(Type.String({ maxLength: max, expected: `text of at most ${max} characters`, description })));

const CODE = 'gaqRnLpSGuYeEUDL2JOXALt-34Blt3unT3q-k3GpoZ0';

/** Nothing from the callback URL is passed on to the next page. */
const seeOther = (location: string, cookies: Reply['headers']): Reply => ({
  status: 303,
  headers: [['Location', location], ['Cache-Control', 'no-store'], ...cookies],
  body: { kind: 'none' },
});

const endedReply = (ended: Ended, flow: string, ctx: Ctx<unknown>): Reply => {
  const page = `${ctx.settings.subPath}/auth/sign-on`;
  const begun = signOnCookie({ flow, secret: '' }, 0, ctx);
  if (ended.kind === 'app') return seeOther(ended.address, []);
  if (ended.kind === 'refused') return seeOther(`${page}?refused=${ended.reason}`, [begun]);
  return seeOther(ended.path ?? page, [...loginCookies(ended.signedIn, true, ctx), begun]);
};

export const SIGN_ON_ROUTES: readonly Route[] = [
  route({
    id: 'sign-on.providers',
    method: 'GET',
    path: '/auth/oidc/providers',
    access: 'public',
    reply: ok(SignOnProviders),
    about: 'The sign-on providers that people can sign in with.',
    run: ({ app, settings }) => {
      const providers = app.signOn.options.providers.map(({ name, displayName }) => ({
        name,
        displayName,
        loginUrl: `${settings.subPath}/api/v1/auth/oidc/${name}/login`,
      }));
      return json(200, { enabled: providers.length > 0, providers } satisfies Wire<typeof SignOnProviders>);
    },
  }),
  route({
    id: 'sign-on.begin',
    method: 'POST',
    path: '/auth/oidc/{provider}/login',
    access: 'public',
    params: byProvider,
    body: Type.Optional(
      Type.Object({
        redirectUri: optional(1000, 'Where to go afterwards: a path on this server, or the redirect URI of an app.'),
        codeChallenge: optional(200, 'For apps: the SHA-256 of the code verifier, in base64url (RFC 7636, S256).'),
        state: optional(500, 'For apps: returned unchanged with the code.'),
      }),
    ),
    example: { redirectUri: '/' },
    reply: ok(SignOnBegun),
    fails: ['ProviderFailed'],
    about:
      'Starts a sign-in with a provider and returns the URL to open in the browser. It must be finished in the browser that received this answer, unless the redirectUri is that of an app listed in the settings.',
    run: async (ctx, { params, body }) => {
      const { redirectUri = null, codeChallenge = null, state = null } = body;
      const wish = { redirectUri, codeChallenge, state };
      const { address, mark } = await ctx.app.signOn.begin(params.provider, wish);
      const shown: Wire<typeof SignOnBegun> = { redirectUrl: address };
      return json(200, shown, mark === null ? [] : [signOnCookie(mark, FLOW_S, ctx)]);
    },
  }),
  route({
    id: 'sign-on.end',
    method: 'GET',
    path: '/auth/oidc/{provider}/callback',
    access: 'public',
    params: byProvider,
    query: Type.Object({
      code: Type.Optional(text(8000)),
      state: Type.Optional(text(1000)),
      error: Type.Optional(text(1000)),
    }),
    reply: { 303: null },
    about:
      'The address to which a provider sends the browser back. Sets the login cookies and redirects to the requested page, or to one that shows the result; for an app, redirects to it with a single-use code that is valid for a minute.',
    run: async (ctx, { params }) => {
      const { request } = ctx;
      const flow = flowIn(request.query);
      const mark = cookieIn(request, signOnCookieOf(flow));
      return endedReply(await ctx.app.signOn.end(params.provider, request.query, mark, clientOf(ctx)), flow, ctx);
    },
  }),
  route({
    id: 'sign-on.exchange',
    method: 'POST',
    path: '/auth/oidc/token',
    access: 'public',
    body: Type.Object({ code: text(200), codeVerifier: text(200) }),
    example: { code: CODE, codeVerifier: 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk' },
    reply: ok(SignOnDone),
    fails: ['Unauthorized'],
    about:
      'Exchanges the code that an app received for tokens. The code verifier must match the code challenge with which the sign-in was started. The first attempt uses up the code.',
    run: async (ctx, { body }) => {
      const { code, codeVerifier } = body;
      const { user, signedIn, isNew, provider } = await ctx.app.signOn.exchange(code, codeVerifier, clientOf(ctx));
      const shown: Wire<typeof SignOnDone> = { ...loginView(user, signedIn, false), newAccount: isNew, provider };
      return json(200, shown);
    },
  }),
];
