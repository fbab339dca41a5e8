// A separate process for another user: scans the folder `shelf` when given a mode, and answers with the live books.
import { join } from 'node:path';
import { tempApp, until } from '../app.js';

const folder = process.argv[2] ?? '';
const temp = await tempApp({ folder, overrides: [{ key: 'pool.threads', text: '2' }] });
const token = await temp.tokenOf('admin');
let libraryId = '';

const scan = async (mode: string): Promise<void> => {
  if (libraryId === '') {
    const made = await temp.call('POST', '/api/v1/libraries', {
      token,
      body: { name: 'Shelf', path: join(folder, 'shelf') },
    });
    libraryId = made.json.id;
  }
  // Sometimes half of a small tree disappears at once, on purpose.
  await temp.call('POST', `/api/v1/libraries/${libraryId}/scan?mode=${mode}&acceptMissing=true`, { token });
  await until('the scan ends', () => temp.app.scans.active().length === 0, 120_000);
  const status = await temp.call('GET', `/api/v1/libraries/${libraryId}/scan-status`, { token });
  const rows = await temp.app.db.all<{ path: string }>(
    `SELECT CASE f.path WHEN '' THEN '' ELSE f.path || '/' END || b.file_name AS path FROM book b JOIN folder f ON f.id = b.folder_id
     WHERE b.deleted = 0 ORDER BY 1`,
  );
  process.send?.({ books: rows.map(({ path }) => path), warnings: status.json.errors, status: status.json.status });
};

process.on('message', (mode) => {
  scan(String(mode)).catch((thrown: unknown) => {
    console.error(thrown);
    process.exit(1);
  });
});
process.once('disconnect', () => {
  temp.close().then(
    () => process.exit(0),
    () => process.exit(1),
  );
});
