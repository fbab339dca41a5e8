// All kinds of attack, in the order they run. The one that makes the server refuse sign-ins comes last among those that share a server.
import type { Kind } from './kind.js';
import { aborts } from './kinds/aborts.js';
import { bareKeys } from './kinds/bare-keys.js';
import { bodies } from './kinds/bodies.js';
import { connections } from './kinds/connections.js';
import { descriptors } from './kinds/descriptors.js';
import { desync } from './kinds/desync.js';
import { fifos } from './kinds/fifos.js';
import { fullDisks } from './kinds/full-disks.js';
import { greedy } from './kinds/greedy.js';
import { guessing } from './kinds/guessing.js';
import { kills } from './kinds/kills.js';
import { limitedReaders } from './kinds/limited-readers.js';
import { links } from './kinds/links.js';
import { mails } from './kinds/mails.js';
import { nobody } from './kinds/nobody.js';
import { poison } from './kinds/poison.js';
import { setUp } from './kinds/set-up.js';
import { slowReaders } from './kinds/slow-readers.js';

export const KINDS: readonly Kind[] = [
  nobody,
  connections,
  bodies,
  slowReaders,
  aborts,
  desync,
  bareKeys,
  guessing,
  links,
  fifos,
  setUp,
  mails,
  limitedReaders,
  ...fullDisks,
  descriptors,
  kills,
  poison,
  greedy,
];
