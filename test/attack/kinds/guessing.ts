// Password guessing: at one account from one address, with successful sign-ins to one's own account in between, and from many addresses at once.
import { type Asked, jsonOf } from '../ask.js';
import type { Kind, Scene } from '../kind.js';
import { ADMIN, type Target } from '../target.js';

/** More than a person mistypes, less than a guesser needs. */
const CHECKED_MAX = 30;
const CHECKED_MAX_SPREAD = 200;

const guess = (target: Target, username: string, n: number, from: string): Promise<Asked> =>
  target.login('', { from, body: { username, password: `guess ${n}` } });

/** Guesses that were actually compared with a password. */
const checked = (answers: readonly Asked[]): number => answers.filter(({ status }) => status === 401).length;

const refusalIsHonest = ({ report }: Scene, answers: readonly Asked[]): void => {
  const refused = answers.find(({ status }) => status === 429);
  if (refused === undefined) return;
  const said = /in (\d+) s/.exec(String(jsonOf(refused).message))?.[1];
  const header = refused.header('retry-after');
  report.judge(
    said === undefined || said === header,
    'Retry-After says what the body says',
    `Retry-After is ${header}, the body says ${said} s`,
  );
};

const fromOneAddress = async (scene: Scene, target: Target): Promise<void> => {
  const tries = scene.isLarge ? 300 : 60;
  scene.report.tried.push(`${tries} guesses from one address`);
  const answers: Asked[] = [];
  for (let n = 0; n < tries; n += 10)
    answers.push(
      ...(await Promise.all(Array.from({ length: 10 }, (_, at) => guess(target, 'nobody', n + at, '127.0.0.90')))),
    );
  const count = checked(answers);
  scene.report.judge(
    count <= CHECKED_MAX,
    `${count} of ${tries} were checked`,
    `${count} of ${tries} guesses from one address were checked`,
  );
  refusalIsHonest(scene, answers);
};

const withOwnAccount = async (scene: Scene, target: Target): Promise<void> => {
  const rounds = scene.isLarge ? 20 : 6;
  scene.report.tried.push(`${rounds * 9} guesses, with a sign-in to one's own account after every nine`);
  const answers: Asked[] = [];
  for (let round = 0; round < rounds; round += 1) {
    for (let n = 0; n < 9; n += 1) answers.push(await guess(target, 'victim', n, '127.0.0.91'));
    await target.login(ADMIN.password, { from: '127.0.0.91' });
  }
  const count = checked(answers);
  scene.report.judge(
    count <= CHECKED_MAX,
    `${count} of ${answers.length} were checked`,
    `signing in to one's own account let ${count} of ${answers.length} guesses at another account through`,
  );
};

const fromMany = async (scene: Scene, target: Target): Promise<void> => {
  const addresses = 60;
  scene.report.tried.push(`${addresses * 8} guesses at one account from ${addresses} addresses`);
  const answers: Asked[] = [];
  for (let n = 0; n < 8; n += 1)
    for (let at = 0; at < addresses; at += 10)
      answers.push(
        ...(await Promise.all(
          Array.from({ length: 10 }, (_, k) => guess(target, 'victim', n, `127.0.1.${1 + at + k}`)),
        )),
      );
  const count = checked(answers);
  scene.report.judge(
    count <= CHECKED_MAX_SPREAD,
    `${count} of ${answers.length} were checked`,
    `${count} of ${answers.length} guesses at one account from ${addresses} addresses were checked`,
  );
};

export const guessing: Kind = {
  name: 'guessing',
  concerns: 'socket',
  hindrance: () => null,
  run: async (scene) => {
    const target = await scene.target();
    await fromOneAddress(scene, target);
    await withOwnAccount(scene, target);
    if (scene.isLarge) await fromMany(scene, target);
    const known = await target.api('/auth/me');
    scene.report.judge(known.status === 200, 'signed-in users stay signed in', `a known token is ${known.status}`);
  },
};
