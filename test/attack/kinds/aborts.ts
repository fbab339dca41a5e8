// Thousands of downloads aborted in the middle: nothing may stay open.
import { until } from '../../app.js';
import { addressOf, Crowd } from '../crowd.js';
import { amongReaders } from '../honest.js';
import { type Kind, pause, type Scene } from '../kind.js';
import { LARGE_WIDTH } from '../library.js';
import type { Target } from '../target.js';

const WAVE = 50;
const WAVE_EVERY_MS = { small: 20, large: 100 };
/** Files the server keeps open for a minute, threads, and descriptors it had not opened yet at the first count. */
const SPARE_DESCRIPTORS = 40;

const wave = async (scene: Scene, target: Target, paths: readonly string[]): Promise<void> => {
  const crowd = new Crowd(target);
  await crowd.open(scene, WAVE, 'others', (socket, n) => {
    socket.once('data', () => socket.destroy());
    const path = paths[n % paths.length];
    socket.write(`GET /api/v1${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${target.token}\r\n\r\n`);
  });
  await pause(scene.isLarge ? WAVE_EVERY_MS.large : WAVE_EVERY_MS.small);
  crowd.leave();
};

export const aborts: Kind = {
  name: 'aborts',
  concerns: 'socket',
  hindrance: () => null,
  run: async (scene) => {
    const target = await scene.target();
    const { id } = await target.bookNamed('Large.cbz');
    const plain = await target.bookNamed('Plain 1.cbz');
    let width = 100;
    const waves = scene.isLarge ? 80 : 6;
    scene.report.tried.push(`${waves * WAVE} downloads aborted at or before the first bytes`);
    const before = target.descriptors();
    await amongReaders(scene, target, 'aborts', async () => {
      for (let n = 0; n < waves && target.death === null; n += 1) {
        width += 1; // a new size: the work for it is in progress when its client leaves
        const large = ['file', 'pages/1', `pages/1?width=${LARGE_WIDTH}`][n % 3];
        const paths = [`${(n % 8) + 1}?width=${width}`, '1', '2'].map((page) => `/books/${plain.id}/pages/${page}`);
        await wave(scene, target, [`/books/${id}/${large}`, ...paths]);
      }
    });
    const closed = await until(
      'the files are closed',
      () => target.descriptors() <= before + SPARE_DESCRIPTORS,
      10_000,
    ).then(
      () => true,
      () => false,
    );
    scene.report.judge(closed, 'no descriptor stayed open', `${target.descriptors() - before} descriptors stayed open`);
    const whole = await target.api(`/books/${plain.id}/pages/1`, { from: addressOf('others', 1) });
    scene.report.judge(whole.status === 200, 'pages come whole afterwards', `a page afterwards is ${whole.status}`);
  },
};
