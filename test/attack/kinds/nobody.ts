// No attack: the baseline of legitimate readers on this machine right now.
import { amongReaders } from '../honest.js';
import { type Kind, pause } from '../kind.js';

const STAY_MS = 8000;

export const nobody: Kind = {
  name: 'nobody',
  concerns: 'socket',
  hindrance: (isLarge) => (isLarge ? null : 'latency is judged in the large run only'),
  run: async (scene) => {
    scene.report.tried.push('nothing, for comparison');
    await amongReaders(scene, await scene.target(), 'nobody attacks', () => pause(STAY_MS));
  },
};
