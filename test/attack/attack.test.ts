// Every kind of attack in its small form, against the real program on its default back-end, in a full run on both.
// `npm run attack -- --large` runs the large form.
import { loadUws } from '../../http/server/uws.js';
import { assert, block, IS_FULL } from '../kit.js';
import type { Kind } from './kind.js';
import { KINDS } from './kinds.js';
import { Siege } from './siege.js';
import type { Backend } from './target.js';

const uws = loadUws();
/** Only a full run attacks the second one. */
const BACKENDS: readonly Backend[] = 'reason' in uws ? ['node'] : IS_FULL ? ['uws', 'node'] : ['uws'];

/**
 * Drills kill the program during scans and while people read; system/full-disks fills both disks, system/descriptors uses up descriptors,
 * system/access guesses passwords, system/http-limits has clients that stop reading, pages/links puts links and pipes in place of books, and
 * access/ has keys without permissions, strange hosts, mails and readers with limits.
 */
const TRIED_ELSEWHERE: ReadonlySet<string> = new Set([
  ...['kills', 'full cache, tmpfs', 'full database, tmpfs', 'descriptors'],
  ...['guessing', 'slow readers', 'links', 'fifos'],
  ...['keys without permissions', 'set-up', 'mails', 'limited readers'],
]);
const hindranceOf = (kind: Kind): string | null =>
  !IS_FULL && TRIED_ELSEWHERE.has(kind.name) ? 'covered by other tests; here in a full run' : kind.hindrance(false);

for (const backend of BACKENDS) {
  let siege: Siege;
  block(
    `under attack over ${backend}`,
    (check) => {
      // What lies behind the network engines is the same for all of them.
      for (const kind of KINDS.filter(({ concerns }) => concerns === 'socket' || backend === BACKENDS[0])) {
        const hindrance = hindranceOf(kind);
        const fact = `${kind.name}: nothing is lost`;
        if (hindrance !== null) check.skip(fact, hindrance);
        else check(fact, async () => assert.equal((await siege.attack(kind)).losses, []));
      }
    },
    {
      before: () => {
        siege = new Siege(backend, false);
      },
      after: () => siege.end(),
      deadlineS: 60,
    },
  );
}
