// Backups, as returned by the API.
import Type from 'typebox';
import { KINDS } from '../../../core/upkeep/backup-files.js';
import { NOT_INCLUDED } from '../../../core/upkeep/backup-parts.js';
import { id, orNull, record, text, time, whole, word, yes } from '../../surface/wire.js';

export const Backups = record('Backups', {
  backups: Type.Array(
    record('Backup', {
      id: id(),
      name: text('longbox-manual-2026-01-31T12-00-00-000Z.tar', 'The name of the file in the folder backups/.'),
      kind: word(
        KINDS,
        'manual: requested. scheduled: made by the schedule; only these are subject to retention. upgrade: a copy of the database before an upgrade. restore-point: the data that a restore replaced. other: put there by somebody.',
      ),
      createdAt: time(),
      size: whole(48_213_504, 'In bytes.'),
      version: orNull(text('0.1.0', 'The version of Longbox that made it. Null for a copy of the database alone.')),
      schema: orNull(
        whole(30, 'The schema of its database; a version of Longbox restores its own and all earlier ones.'),
      ),
      included: Type.Array(word(['database', 'uploads'])),
      complete: yes(true, 'False for a backup that is being made, and for a truncated one.'),
    }),
    { description: 'Newest first.' },
  ),
  lastBackupAt: orNull(time('The newest complete backup; restore points and copies before an upgrade do not count.')),
  notIncluded: Type.Array(word(NOT_INCLUDED), {
    description:
      'Folders of the data folder that no backup contains: secrets must be copied by hand, the cache is rebuilt.',
  }),
});

export const BackupBegun = record('BackupBegun', {
  message: text('The backup has been enqueued.'),
  taskId: id('The task that makes it; the same one as long as a backup is being made.'),
});
