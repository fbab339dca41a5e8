// Bodies that never end, sent to the one route that accepts them without a login: large and half-sent, and a byte at a time.
import type { Socket } from 'node:net';
import { Crowd, type From } from '../crowd.js';
import { amongReaders } from '../honest.js';
import type { Kind, Scene } from '../kind.js';
import { ADMIN } from '../target.js';

const MIB = 1024 * 1024;
const LARGE_BODY = Math.floor(1.9 * MIB);
/** Below the limit of a public route. */
const LITTLE_BODY = 15_000;

const head = (length: number): string =>
  `POST /api/v1/auth/login HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: ${length}\r\n\r\n`;

const half = Buffer.alloc(LARGE_BODY - 1000, 'x');

interface Shape {
  readonly name: string;
  readonly begin: (socket: Socket) => void;
  readonly everySecond: (socket: Socket) => void;
}

const SHAPES: readonly Shape[] = [
  {
    name: 'half-sent bodies of 1.9 MB to the sign-in route',
    begin: (socket) => {
      socket.resume();
      socket.write(head(LARGE_BODY));
      socket.write(half);
    },
    everySecond: () => undefined,
  },
  {
    name: 'bodies that arrive a byte a second',
    begin: (socket) => {
      socket.resume();
      socket.write(`${head(LITTLE_BODY)}{`);
    },
    everySecond: (socket) => {
      socket.write(' ');
    },
  },
];

const besiege = async (scene: Scene, shape: Shape, from: From): Promise<void> => {
  const target = await scene.target();
  const count = scene.isLarge ? 2000 : 300;
  const crowd = new Crowd(target);
  const what = `${count} ${shape.name} from ${from === 'own' ? "the readers' own address" : 'other addresses'}`;
  scene.report.tried.push(what);
  try {
    await amongReaders(scene, target, what, async () => {
      await crowd.open(scene, count, from, shape.begin);
      await crowd.stay(scene, scene.isLarge ? 7000 : 200, () => crowd.each(shape.everySecond));
    });
  } finally {
    crowd.leave();
  }
};

/** A complete body over the limit for callers without a login is refused, a smaller one is answered. */
const limits = async ({ report, target }: Scene): Promise<void> => {
  const server = await target();
  report.tried.push('a sign-in with a body of 20 kB');
  const large = await server.login('x'.repeat(20_000), { from: '127.0.0.80' });
  report.judge(
    large.status === 413,
    'a body of 20 kB to a public route is 413',
    `a body of 20 kB to a public route is ${large.status} ${large.fault}`,
  );
  const right = await server.login(ADMIN.password, { from: '127.0.0.81' });
  report.judge(
    right.status === 200,
    'a legitimate sign-in works',
    `a legitimate sign-in after the bodies is ${right.status} ${right.fault}`,
  );
};

export const bodies: Kind = {
  name: 'bodies',
  concerns: 'socket',
  hindrance: () => null,
  run: async (scene) => {
    for (const shape of SHAPES) await besiege(scene, shape, 'others');
    if (scene.isLarge) for (const shape of SHAPES) await besiege(scene, shape, 'own');
    await limits(scene);
  },
};
