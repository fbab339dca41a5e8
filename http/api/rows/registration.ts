// Registration, verification of e-mail addresses, and forgotten passwords.
import Type from 'typebox';
import { forgotPassword, resetByLink } from '../../../core/access/forgotten-password.js';
import { register, resendVerification, verifyEmail } from '../../../core/access/registration.js';
import { loginCookies } from '../../surface/cookies.js';
import { made, ok } from '../../surface/replies.js';
import { json } from '../../surface/reply.js';
import { clientOf } from '../../surface/request-parts.js';
import { type Ctx, type Route, route } from '../../surface/route.js';
import type { Wire } from '../../surface/wire.js';
import { Registered, VerifiedEmail } from '../schemas/registration.js';
import { Message } from '../schemas/user.js';
import { loginView, meView } from '../views/user.js';

const text = (max: number) => Type.String({ maxLength: max, expected: `text of at most ${max} characters` });

const TOKEN = 'gaqRnLpSGuYeEUDL2JOXALt-34Blt3unT3q-k3GpoZ0';

const byNobody = ({ clientAddress }: Pick<Ctx<unknown>, 'clientAddress'>) => ({
  caller: null,
  address: clientAddress(),
});

const UNCONFIRMED = {
  access_token: null,
  accessToken: null,
  token_type: null,
  tokenType: null,
  expires_in: null,
  expiresIn: null,
};

/** The same words whether anything was sent or not. */
const VERIFICATION_SENT = 'If an account with this address waits for its verification, a mail is on its way to it.';
const RESET_SENT = 'If there is an account with this address, a mail is on its way to it.';

export const REGISTRATION_ROUTES: readonly Route[] = [
  route({
    id: 'auth.register',
    method: 'POST',
    path: '/auth/register',
    access: 'public',
    body: Type.Object({ username: text(100), email: text(254), password: text(1024) }),
    example: { username: 'ann', email: 'ann@example.org', password: 'fog over the harbour 7' },
    reply: made(Registered),
    fails: ['Forbidden', 'Conflict'],
    about:
      'Creates an account, a reader, if registration is on. Where accounts have to be confirmed it waits for the link in a mail, and a taken address is answered like a free one.',
    run: async (ctx, { body }) => {
      const { app } = ctx;
      const { user, signedIn } = await register(app, byNobody(ctx), body, clientOf(ctx));
      if (signedIn === null) {
        const message = 'The account was created. To open it, follow the link in the mail to its address.';
        return json(201, { ...UNCONFIRMED, message, user: meView(user) } satisfies Wire<typeof Registered>);
      }
      const shown: Wire<typeof Registered> = {
        ...loginView(user, signedIn, false),
        message: 'The account was created.',
      };
      return json(201, shown, loginCookies(signedIn, false, ctx));
    },
  }),
  route({
    id: 'auth.verify-email',
    method: 'POST',
    path: '/auth/verify-email',
    access: 'public',
    body: Type.Object({ token: text(200) }),
    example: { token: TOKEN },
    reply: ok(VerifiedEmail),
    about: 'Verifies an e-mail address by what was in the link sent to it, opens its account and signs in. Works once.',
    run: async (ctx, { body }) => {
      const { app } = ctx;
      const { user, signedIn } = await verifyEmail(app, byNobody(ctx), body.token, clientOf(ctx));
      const message = 'The e-mail address is verified.';
      const shown: Wire<typeof VerifiedEmail> = { ...loginView(user, signedIn, false), message };
      return json(200, shown, loginCookies(signedIn, false, ctx));
    },
  }),
  route({
    id: 'auth.resend-verification',
    method: 'POST',
    path: '/auth/resend-verification',
    access: 'public',
    body: Type.Object({ email: text(254) }),
    example: { email: 'ann@example.org' },
    reply: ok(Message),
    about:
      'Sends the link that verifies an address again, and ends the one before. The answer is the same for any address.',
    run: ({ app, clientAddress }, { body }) => {
      resendVerification(app, body.email, clientAddress());
      return json(200, { message: VERIFICATION_SENT } satisfies Wire<typeof Message>);
    },
  }),
  route({
    id: 'auth.forgot-password',
    method: 'POST',
    path: '/auth/forgot-password',
    access: 'public',
    body: Type.Object({ email: text(254) }),
    example: { email: 'ann@example.org' },
    reply: ok(Message),
    about: 'Sends a link with which a new password can be set within an hour. The answer is the same for any address.',
    run: ({ app, clientAddress }, { body }) => {
      forgotPassword(app, body.email, clientAddress());
      return json(200, { message: RESET_SENT } satisfies Wire<typeof Message>);
    },
  }),
  route({
    id: 'auth.reset-password',
    method: 'POST',
    path: '/auth/reset-password',
    access: 'public',
    body: Type.Object({ token: text(200), newPassword: text(1024) }),
    example: { token: TOKEN, newPassword: 'fog over the harbour 7' },
    reply: ok(Message),
    about:
      'Sets a new password by what was in the link sent for it. Works once, and ends every session of the account and every other link.',
    run: async (ctx, { body }) => {
      await resetByLink(ctx.app, byNobody(ctx), body);
      return json(200, { message: 'The password was changed. Sign in with it.' } satisfies Wire<typeof Message>);
    },
  }),
];
