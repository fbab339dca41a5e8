// The types that shipped clients are compiled for, of settings, preferences and what belongs to them: what our schemas describe is one of
// them, or this file does not compile.
import Type, { type Static, type TSchema } from 'typebox';
import { ROUTES } from '../../http/api/rows/index.js';
import { FolderListing, StartingPlace } from '../../http/api/schemas/filesystem.js';
import { CleanupBegun, CleanupResult, OrphanStats } from '../../http/api/schemas/orphans.js';
import {
  PdfCacheStats,
  PdfCleanupBegun,
  PdfHandles,
  PdfHandlesClosed,
  PdfPagesRemoved,
} from '../../http/api/schemas/pdf-cache.js';
import { DeletedPreference, Preference, Preferences, StoredPreferences } from '../../http/api/schemas/preferences.js';
import { Marked } from '../../http/api/schemas/reading.js';
import {
  AppInfo,
  Branding,
  PublicSettings,
  Setting,
  SettingChange,
  SetUpSettings,
} from '../../http/api/schemas/settings.js';
import { SetUp, SetupStatus } from '../../http/api/schemas/user.js';
import type { Route } from '../../http/surface/route.js';
import { assert, block } from '../kit.js';
import { ANSWERS } from './answer-shapes.js';

interface PreferenceDto {
  key: string;
  updatedAt: string;
  value: unknown;
  valueType: string;
}

interface SettingDto {
  category: string;
  defaultValue: string;
  description: string;
  id: string;
  isSensitive: boolean;
  key: string;
  maxValue?: number | null;
  minValue?: number | null;
  updatedAt: string;
  updatedBy?: string | null;
  value: string;
  valueType: string;
  version: number;
}
interface SettingHistoryDto {
  changeReason?: string | null;
  changedAt: string;
  changedBy: string;
  id: string;
  ipAddress?: string | null;
  key: string;
  newValue: string;
  oldValue: string;
  settingId: string;
}
interface EntryDto {
  isDirectory: boolean;
  isReadable: boolean;
  name: string;
  path: string;
}
interface BrowseDto {
  currentPath: string;
  entries: EntryDto[];
  parentPath?: string | null;
}
interface MarkDto {
  count: number;
  message: string;
}
interface SetUpDto {
  accessToken: string;
  expiresIn: number;
  message: string;
  tokenType: string;
  user: { email: string; emailVerified: boolean; id: string; permissions: string[]; role: string; username: string };
}
interface OrphansDto {
  files?: { entityId?: string | null; fileType: string; path: string; sizeBytes: number }[] | null;
  orphanedCovers: number;
  orphanedThumbnails: number;
  totalSizeBytes: number;
}
interface CleanupDto {
  bytesFreed: number;
  coversDeleted: number;
  errors?: string[];
  failures: number;
  thumbnailsDeleted: number;
}
interface HandlesDto {
  capacity: number;
  currentSize: number;
  enabled: boolean;
  entries: { ageSeconds: number; bookId: string; idleSeconds: number; path: string; renderCount: number }[];
  evictions: number;
  hits: number;
  idleEvictions: number;
  idleTtlSeconds: number;
  misses: number;
  opens: number;
}
interface PdfCacheDto {
  handles: HandlesDto;
  pages: {
    bookCount: number;
    cacheDir: string;
    cacheEnabled: boolean;
    oldestFileAgeDays?: number | null;
    totalFiles: number;
    totalSizeBytes: number;
    totalSizeHuman: string;
  };
}
interface PdfRemovedDto {
  bytesReclaimed: number;
  bytesReclaimedHuman: string;
  filesDeleted: number;
}
interface PdfBegunDto {
  maxAgeDays: number;
  message: string;
  taskId: string;
}
type PublicDto = Record<string, { key: string; value: string }>;

/** Whether what a schema describes is what clients expect. */
type Fit<Expected, S extends TSchema> = Static<S> extends Expected ? true : false;

interface Answers {
  'GET /user/preferences': Fit<{ preferences: PreferenceDto[] }, typeof Preferences>;
  'PUT /user/preferences': Fit<{ preferences: PreferenceDto[]; updated: number }, typeof StoredPreferences>;
  'GET /user/preferences/{}': Fit<PreferenceDto, typeof Preference>;
  'PUT /user/preferences/{}': Fit<PreferenceDto, typeof Preference>;
  'DELETE /user/preferences/{}': Fit<{ deleted: boolean; message: string }, typeof DeletedPreference>;
  'GET /admin/settings': Fit<SettingDto, typeof Setting>;
  'POST /admin/settings/bulk': Fit<SettingDto, typeof Setting>;
  'GET /admin/settings/{}': Fit<SettingDto, typeof Setting>;
  'PUT /admin/settings/{}': Fit<SettingDto, typeof Setting>;
  'GET /admin/settings/{}/history': Fit<SettingHistoryDto, typeof SettingChange>;
  'POST /admin/settings/{}/reset': Fit<SettingDto, typeof Setting>;
  'GET /settings/branding': Fit<{ applicationName: string }, typeof Branding>;
  'GET /settings/public': Fit<PublicDto, typeof PublicSettings>;
  'GET /setup/status': Fit<
    { hasUsers: boolean; registrationEnabled: boolean; setupRequired: boolean },
    typeof SetupStatus
  >;
  'POST /setup/initialize': Fit<SetUpDto, typeof SetUp>;
  'PATCH /setup/settings': Fit<{ message: string; settingsConfigured: number }, typeof SetUpSettings>;
  'GET /info': Fit<{ name: string; version: string }, typeof AppInfo>;
  'GET /filesystem/browse': Fit<BrowseDto, typeof FolderListing>;
  'GET /filesystem/drives': Fit<EntryDto, typeof StartingPlace>;
  'GET /admin/cleanup-orphans/stats': Fit<OrphansDto, typeof OrphanStats>;
  'POST /admin/cleanup-orphans': Fit<{ message: string; taskId: string }, typeof CleanupBegun>;
  'DELETE /admin/cleanup-orphans': Fit<CleanupDto, typeof CleanupResult>;
  'GET /admin/pdf-cache': Fit<PdfCacheDto, typeof PdfCacheStats>;
  'GET /admin/pdf-cache/handles': Fit<HandlesDto, typeof PdfHandles>;
  'DELETE /admin/pdf-cache/handles': Fit<{ handlesClosed: number }, typeof PdfHandlesClosed>;
  'DELETE /admin/pdf-cache/handles/{}': Fit<{ handlesClosed: number }, typeof PdfHandlesClosed>;
  'DELETE /admin/pdf-cache/pages': Fit<PdfRemovedDto, typeof PdfPagesRemoved>;
  'POST /admin/pdf-cache/pages/cleanup': Fit<PdfBegunDto, typeof PdfCleanupBegun>;
  'POST /books/bulk/read': Fit<MarkDto, typeof Marked>;
  'POST /books/bulk/unread': Fit<MarkDto, typeof Marked>;
  'POST /series/bulk/read': Fit<MarkDto, typeof Marked>;
  'POST /series/bulk/unread': Fit<MarkDto, typeof Marked>;
}

type Misfit = { [Row in keyof Answers]: Answers[Row] extends true ? never : Row }[keyof Answers];
type None<Row extends never> = Row;

/** Compiles only if there is none; the compiler names them. */
const MISFITS: readonly None<Misfit>[] = [];

/** The schemas compared above, which have to be those of the rows; in brackets those of a list. */
const SCHEMAS: Readonly<Record<keyof Answers, TSchema | readonly [TSchema]>> = {
  'GET /user/preferences': Preferences,
  'PUT /user/preferences': StoredPreferences,
  'GET /user/preferences/{}': Preference,
  'PUT /user/preferences/{}': Preference,
  'DELETE /user/preferences/{}': DeletedPreference,
  'GET /admin/settings': [Setting],
  'POST /admin/settings/bulk': [Setting],
  'GET /admin/settings/{}': Setting,
  'PUT /admin/settings/{}': Setting,
  'GET /admin/settings/{}/history': [SettingChange],
  'POST /admin/settings/{}/reset': Setting,
  'GET /settings/branding': Branding,
  'GET /settings/public': PublicSettings,
  'GET /setup/status': SetupStatus,
  'POST /setup/initialize': SetUp,
  'PATCH /setup/settings': SetUpSettings,
  'GET /info': AppInfo,
  'GET /filesystem/browse': FolderListing,
  'GET /filesystem/drives': [StartingPlace],
  'GET /admin/cleanup-orphans/stats': OrphanStats,
  'POST /admin/cleanup-orphans': CleanupBegun,
  'DELETE /admin/cleanup-orphans': CleanupResult,
  'GET /admin/pdf-cache': PdfCacheStats,
  'GET /admin/pdf-cache/handles': PdfHandles,
  'DELETE /admin/pdf-cache/handles': PdfHandlesClosed,
  'DELETE /admin/pdf-cache/handles/{}': PdfHandlesClosed,
  'DELETE /admin/pdf-cache/pages': PdfPagesRemoved,
  'POST /admin/pdf-cache/pages/cleanup': PdfCleanupBegun,
  'POST /books/bulk/read': Marked,
  'POST /books/bulk/unread': Marked,
  'POST /series/bulk/read': Marked,
  'POST /series/bulk/unread': Marked,
};

const ROWS = new Map<string, Route>(
  ROUTES.map((route) => [`${route.method} ${route.path.replaceAll(/\{\w+\}/g, '{}')}`, route] as const),
);

block('types of clients: settings', (check) => {
  for (const [row, schema] of Object.entries(SCHEMAS))
    check(`${row}: answers with the schema that was compared`, () => {
      const found = ROWS.get(row)?.reply[ANSWERS.get(row)?.status ?? 200];
      assert.equal(found, Array.isArray(schema) ? Type.Array(schema[0]) : schema);
    });
  check('what is described is what clients expect', () => assert.equal(MISFITS, []));
  check('every answer about settings and preferences is compared, or has no body', () => {
    const ours =
      /^\w+ \/(?:user\/preferences|admin\/settings|admin\/(?:cleanup-orphans|pdf-cache)|settings|setup|filesystem|info|(?:books|series)\/bulk\/(?:un)?read)/;
    const left = [...ANSWERS].filter(
      ([row, { type }]) => ours.test(row) && type !== null && !Object.hasOwn(SCHEMAS, row),
    );
    assert.equal(left, []);
  });
});
