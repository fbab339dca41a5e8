// Whether the server answers. Public, and says nothing else.
import { json } from '../reply.js';
import { type Route, route } from '../route.js';
import { none } from '../schemas.js';

const row = (id: string, path: string): Route =>
  route({
    id,
    method: 'GET',
    path,
    access: 'public',
    cookie: false,
    params: none,
    query: none,
    body: null,
    about: 'Answers as soon as the server does.',
    run: ({ settings }) => json(200, { status: 'ok', version: settings.version }),
  });

export const HEALTH_ROUTES: readonly Route[] = [row('health', '/health'), row('health.root', '//health')];
