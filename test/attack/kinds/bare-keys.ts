// A key without permissions, sent to every row of every surface.
import { SERVED } from '../../../http/cli/surfaces.js';
import { pathOf } from '../../../http/surface/surface.js';
import { isForm } from '../../form.js';
import { bodyOf, UNKNOWN_ID } from '../../http/row-bodies.js';
import { ask, jsonOf } from '../ask.js';
import type { Kind } from '../kind.js';

export const bareKeys: Kind = {
  name: 'keys without permissions',
  concerns: 'socket',
  hindrance: () => null,
  run: async (scene) => {
    const target = await scene.target();
    const made = await target.api('/api-keys', { method: 'POST', body: { name: 'bare', permissions: [] } });
    const { key } = jsonOf(made);
    const rows = SERVED.flatMap((surface) =>
      surface.rows
        .filter(({ access }) => access !== 'public')
        .map((row) => ({ row, path: pathOf(surface, row).replaceAll(/\{\w+\*?\}/g, UNKNOWN_ID) })),
    );
    scene.report.tried.push(`${rows.length} rows with a key that has no permissions`);
    const answered: string[] = [];
    for (const { row, path } of rows) {
      const body = row.method === 'GET' || isForm(bodyOf(row)) ? undefined : bodyOf(row);
      const headers = { 'x-api-key': String(key) };
      const { status } = await ask(`${target.program.address}${path}`, { method: row.method, headers, body });
      if (status !== 403 && status !== 401) answered.push(`${row.method} ${path}: ${status}`);
    }
    scene.report.judge(answered.length === 0, 'each refuses it', `answered: ${answered.slice(0, 10).join('; ')}`);
  },
};
