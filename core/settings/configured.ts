// The configured value of each setting, which applies until an administrator stores another.
import type { SettingKey } from './setting-keys.js';

export type Configured = Readonly<Record<SettingKey, string>>;

export interface Given {
  readonly registration: { readonly isOpen: boolean };
  readonly scheduler: { readonly timezone: string };
  readonly events: { readonly unnamed: boolean };
  readonly thumbnail: { readonly side: number; readonly quality: number };
}

const NAME = 'Longbox';
const KEPT_BACKUPS = 7;

export const configuredOf = ({ registration, scheduler, events, thumbnail }: Given): Configured => ({
  'application.name': NAME,
  'archive.passwords': '',
  'auth.registration_enabled': String(registration.isOpen),
  'backup.cron_schedule': '',
  'backup.retention_count': String(KEPT_BACKUPS),
  'deduplication.cron_schedule': '',
  'deduplication.enabled': 'true',
  'display.custom_metadata_template': '',
  'events.unnamed': String(events.unnamed),
  'metrics.task_retention_days': '30',
  'pdf_cache.cron_schedule': '',
  'pdf_cache.max_age_days': '30',
  'scheduler.timezone': scheduler.timezone,
  'thumbnail.book_cron_schedule': '',
  'thumbnail.jpeg_quality': String(thumbnail.quality),
  'thumbnail.max_dimension': String(thumbnail.side),
  'thumbnail.series_cron_schedule': '',
});
