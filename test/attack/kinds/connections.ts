// Cheap connections: silent, with half a header, dripping, and kept alive after one whole request.
import type { Socket } from 'node:net';
import { Crowd, type From } from '../crowd.js';
import { amongReaders } from '../honest.js';
import type { Kind, Scene } from '../kind.js';

const HALF = 'GET /health HTTP/1.1\r\nHost: x\r\nX-Half: ';
const WHOLE = 'GET /health HTTP/1.1\r\nHost: x\r\n\r\n';

interface Shape {
  readonly name: string;
  readonly begin: (socket: Socket) => void;
  readonly everySecond: (socket: Socket) => void;
}

const nothing = (): void => undefined;
const dropAnswers = (socket: Socket): void => {
  socket.resume();
  socket.write(WHOLE);
};

const SHAPES: readonly Shape[] = [
  { name: 'silent connections', begin: nothing, everySecond: nothing },
  { name: 'half headers', begin: (socket) => socket.write(HALF), everySecond: nothing },
  { name: 'dripping headers', begin: (socket) => socket.write(HALF), everySecond: (socket) => socket.write('x') },
  { name: 'kept-alive connections', begin: dropAnswers, everySecond: nothing },
];

const SMALL = 150;
const LARGE = 2000;
const STAY_MS = { small: 0, large: 7000 };

const besiege = async (scene: Scene, shape: Shape, from: From): Promise<void> => {
  const target = await scene.target();
  const count = scene.isLarge ? LARGE : SMALL;
  const crowd = new Crowd(target);
  const what = `${count} ${shape.name} from ${from === 'own' ? "the readers' own address" : 'other addresses'}`;
  scene.report.tried.push(what);
  try {
    await amongReaders(scene, target, what, async () => {
      await crowd.open(scene, count, from, shape.begin);
      await crowd.stay(scene, scene.isLarge ? STAY_MS.large : STAY_MS.small, () => crowd.each(shape.everySecond));
    });
  } finally {
    crowd.leave();
  }
};

export const connections: Kind = {
  name: 'connections',
  concerns: 'socket',
  hindrance: () => null,
  run: async (scene) => {
    for (const shape of SHAPES) await besiege(scene, shape, 'others');
    for (const shape of scene.isLarge ? SHAPES.slice(0, 2) : SHAPES.slice(1, 2)) await besiege(scene, shape, 'own');
  },
};
