// Backups, for administrators: making, listing, fetching and deleting them.
import { refuseBackupsToKey } from '../../../core/access/own-profile.js';
import { sendFile } from '../../surface/file-reply.js';
import { EMPTY, media, ok } from '../../surface/replies.js';
import { json, noContent } from '../../surface/reply.js';
import { actorOf } from '../../surface/request-parts.js';
import { type Route, route } from '../../surface/route.js';
import { byId } from '../../surface/schemas.js';
import { BackupBegun, Backups } from '../schemas/backups.js';
import { backupsView } from '../views/backups.js';

const FOR_ADMINISTRATORS = { access: 'SystemAdmin', administrator: true } as const;
const [TAR, OTHER] = ['application/x-tar', 'application/vnd.sqlite3'] as const;
const FILE = media(TAR, OTHER);
const WHAT = 'A backup contains the database and the uploaded images, but neither the secrets nor the cache.';

export const BACKUP_ROUTES: readonly Route[] = [
  route({
    id: 'backups.list',
    method: 'GET',
    path: '/admin/backups',
    ...FOR_ADMINISTRATORS,
    reply: ok(Backups),
    fails: ['StorageFailed'],
    about: `The files in the folder backups/ of the data folder, at most a thousand. ${WHAT} Refused to API keys.`,
    run: async (ctx) => {
      refuseBackupsToKey(actorOf(ctx));
      const { backups } = ctx.app;
      return json(200, backupsView(await backups.list(), await backups.last()));
    },
  }),
  route({
    id: 'backups.create',
    method: 'POST',
    path: '/admin/backups',
    ...FOR_ADMINISTRATORS,
    reply: { 202: BackupBegun },
    about: `Starts a backup as a task. While one is waiting or running, no other is started. ${WHAT} Refused to API keys, which can create the task \`backup\` instead.`,
    run: async (ctx) => {
      const by = actorOf(ctx);
      refuseBackupsToKey(by);
      return json(202, { message: 'The backup has been enqueued.', taskId: await ctx.app.backups.request(by) });
    },
  }),
  route({
    id: 'backups.file',
    method: 'GET',
    path: '/admin/backups/{id}/file',
    ...FOR_ADMINISTRATORS,
    params: byId,
    reply: { 200: FILE, 206: FILE, 304: null },
    fails: ['Conflict', 'PreconditionFailed', 'RangeNotSatisfiable', 'StorageFailed'],
    about:
      'The file of a backup, whole or as a byte range: a tar file, or a SQLite database. It contains accounts and password hashes. Refused to API keys.',
    run: async (ctx, { params }) => {
      const by = actorOf(ctx);
      refuseBackupsToKey(by);
      const open = await ctx.app.backups.open(params.id, by);
      const { name, modifiedAt } = open.file;
      const tag = `${params.id.slice(-12)}-${open.size}-${modifiedAt}-b`;
      const mediaType = name.endsWith('.tar') ? TAR : OTHER;
      const file = { name, mediaType, size: open.size, tag, modifiedMs: modifiedAt, isSecret: true };
      return sendFile(file, open, ctx.request);
    },
  }),
  route({
    id: 'backups.delete',
    method: 'DELETE',
    path: '/admin/backups/{id}',
    ...FOR_ADMINISTRATORS,
    params: byId,
    reply: EMPTY,
    fails: ['Conflict'],
    about: 'Deletes a backup file of any kind. Refused to API keys.',
    run: async (ctx, { params }) => {
      const by = actorOf(ctx);
      refuseBackupsToKey(by);
      await ctx.app.backups.remove(params.id, by);
      return noContent();
    },
  }),
];
