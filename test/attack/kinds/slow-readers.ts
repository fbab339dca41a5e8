// Clients that request much and read nothing: a resized page from the cache, an original page, whole files.
import { Crowd, isLost } from '../crowd.js';
import { amongReaders } from '../honest.js';
import { type Kind, pause, type Scene } from '../kind.js';
import { LARGE_WIDTH } from '../library.js';
import type { Target } from '../target.js';

/** A client that reads nothing for 30 s is disconnected; the timers of the system and both back-ends are coarse. */
const LET_GO_MS = 60_000;

/** On one machine the kernel buffers up to 2.5 MB per connection: more of these would measure its memory, not the server's. */
const BESIDE = 500;

const ask = (target: Target, path: string): string =>
  `GET /api/v1${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${target.token}\r\n\r\n`;

const besiege = async (scene: Scene, what: string, path: string, count: number): Promise<Crowd> => {
  const target = await scene.target();
  const crowd = new Crowd(target);
  const words = `${count} clients of ${what} that read nothing`;
  scene.report.tried.push(words);
  await amongReaders(scene, target, words, async () => {
    await crowd.open(scene, count, 'others', (socket) => {
      socket.pause();
      socket.write(ask(target, path));
    });
    await crowd.stay(scene, scene.isLarge ? 7000 : 500);
  });
  return crowd;
};

/** The large run waits until the last client is disconnected. */
const awaitLetGo = async (scene: Scene, target: Target): Promise<void> => {
  const begun = performance.now();
  while (target.connections() > 0 && performance.now() - begun < LET_GO_MS && !isLost(target, scene)) await pause(1000);
  const left = target.connections();
  scene.report.judge(
    left === 0,
    'clients that read nothing are disconnected',
    `${left} clients that read nothing are still connected after ${LET_GO_MS / 1000} s`,
  );
};

export const slowReaders: Kind = {
  name: 'slow readers',
  concerns: 'socket',
  hindrance: () => null,
  run: async (scene) => {
    const target = await scene.target();
    const { id } = await target.bookNamed('Large.cbz');
    const resized = `/books/${id}/pages/1?width=${LARGE_WIDTH}`;
    const first = await target.api(resized);
    scene.report.judge(
      first.status === 200,
      'the large page is made',
      `the large page is ${first.status} ${first.fault}`,
    );
    target.forgetPeak();
    const shapes: readonly (readonly [what: string, path: string, small: number, large: number])[] = [
      ['a resized page of 7 MB', resized, 200, 2000],
      ['an original page of 7 MB', `/books/${id}/pages/1`, 100, BESIDE],
      ['a file of 48 MB', `/books/${id}/file`, 100, BESIDE],
    ];
    for (const [what, path, small, large] of shapes) {
      const crowd = await besiege(scene, what, path, scene.isLarge ? large : small);
      if (scene.isLarge && path === resized) await awaitLetGo(scene, target);
      crowd.leave();
    }
  },
};
