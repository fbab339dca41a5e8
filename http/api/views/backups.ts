// Backups in the wire format.
import type { BackupFile } from '../../../core/upkeep/backup-files.js';
import { NOT_INCLUDED } from '../../../core/upkeep/backup-parts.js';
import type { Wire } from '../../surface/wire.js';
import type { Backups } from '../schemas/backups.js';
import { instant, instantOrNull } from './time.js';

const backupView = ({ id, name, kind, createdAt, bytes, version, schema, hasUploads, complete }: BackupFile) => ({
  id,
  name,
  kind,
  createdAt: instant(createdAt),
  size: bytes,
  version,
  schema,
  included: hasUploads ? (['database', 'uploads'] as const) : (['database'] as const),
  complete,
});

export const backupsView = (files: readonly BackupFile[], last: BackupFile | null): Wire<typeof Backups> => ({
  backups: files.map(backupView),
  lastBackupAt: instantOrNull(last?.createdAt ?? null),
  notIncluded: [...NOT_INCLUDED],
});
