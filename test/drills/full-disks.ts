// The disks of a server, each of them full once. Readers are served, writers are told, nothing acknowledged is lost, and with room it goes on.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { until } from '../app.js';
import { formOf, image } from '../form.js';
import { spawnProgram } from '../system/program.js';
import { type Answered, CHEAP, openHouse } from './house.js';
import { expects, type Fault, inScene, onDisk, PATIENT_MS, readers, refused, settled, writes } from './scene.js';

const fullDatabase = onDisk((disk) =>
  inScene(
    (folder) => openHouse({ SVC_CACHE__PATH: join(folder, 'cache') }, join(disk.path, 'data')),
    async ({ house, found }) => {
      await house.open();
      await writes(house, found, 'with room');
      disk.fill(0);
      expects(found, (await refused(house)) >= 0, 'no write was refused on a full disk');
      await readers(house, found, 'with a full disk');
      await house.ask('POST', '/admin/backups');
      disk.empty();
      await until('it is well again', () => house.write('preference well', 'again'), PATIENT_MS);
      await settled(house, found);
      const left = existsSync(join(house.data, 'backups')) ? readdirSync(join(house.data, 'backups')) : [];
      expects(
        found,
        left.every((name) => !name.includes('partial')),
        `left behind: ${left.join(', ')}`,
      );
    },
  ),
);

const fullCache = onDisk((disk) =>
  inScene(
    () => openHouse({ SVC_CACHE__PATH: join(disk.path, 'cache') }),
    async ({ house, found }) => {
      await house.open();
      disk.fill(0);
      for (const id of house.books())
        expects(
          found,
          (await house.ask('GET', `/books/${id}/pages/2?width=50&format=jpeg`)).status === 200,
          'no page was resized',
        );
      await readers(house, found, 'with a full cache');
      await writes(house, found, 'with a full cache');
      await settled(house, found);
    },
  ),
);

/** The disk under the images that users upload; the database has room. */
const fullUploads = onDisk((disk) =>
  inScene(
    () => openHouse(),
    async ({ house, found }) => {
      const uploads = join(house.data, 'uploads');
      mkdirSync(uploads, { recursive: true });
      execFileSync('mount', ['--bind', disk.path, uploads]);
      try {
        await house.open();
        const [book = ''] = house.books();
        const upload = async (): Promise<Answered> =>
          house.ask('POST', `/books/${book}/cover`, await formOf({ file: image('png-palette-alpha.png') }));
        const kept = (await upload()).json?.id;
        disk.fill(0);
        const full = await upload();
        expects(found, full.status === 503, `an upload on a full disk was answered with ${full.status}`);
        await readers(house, found, 'with a full disk of uploads');
        await writes(house, found, 'with a full disk of uploads');
        disk.empty();
        await until('uploads are stored again', async () => (await upload()).status === 200, PATIENT_MS);
        const { status } = await house.ask('GET', `/books/${book}/covers/${kept}/image`);
        expects(found, status === 200, `the cover from before was answered with ${status}`);
        const left = readdirSync(uploads, { recursive: true, encoding: 'utf8' });
        expects(found, !left.some((name) => name.includes('partial')), `left behind: ${left.join(', ')}`);
        await settled(house, found);
      } finally {
        execFileSync('umount', ['-l', uploads]);
      }
    },
  ),
);

/** The command and the server refuse in words, and leave nothing behind. */
const fullBackups = onDisk((disk) =>
  inScene(
    () => openHouse(),
    async ({ house, found }) => {
      await house.open();
      disk.fill(100_000);
      const backup = spawnProgram(['backup', join(disk.path, 'copy.tar'), '--data', house.data], CHEAP);
      expects(found, (await backup.ended) !== 0, 'a backup was made on a full disk');
      expects(found, /space|full/.test(backup.printed()), `it does not say why: ${backup.printed()}`);
      const left = readdirSync(disk.path).filter((name) => name.startsWith('copy'));
      expects(found, left.length === 0, `left behind: ${left.join(', ')}`);
      disk.empty();
      const again = spawnProgram(['backup', join(disk.path, 'copy.tar'), '--data', house.data], CHEAP);
      expects(found, (await again.ended) === 0, `no backup with room: ${again.printed()}`);
      await settled(house, found);
    },
  ),
);

export const FULL_DISKS: Readonly<Record<string, Fault>> = {
  'full disk of the database': fullDatabase,
  'full disk of the cache': fullCache,
  'full disk of uploads': fullUploads,
  'full disk of backups': fullBackups,
};
