// The audit log: who changed which account, key, grant or setting, with what, from where and when. Written in the transaction of the
// change. Names are copied, so that an entry outlives the people and things that it is about. Never holds a secret.
import { bytesOfUuid, newId, uuidOfHex } from '../model/ids.js';
import { offsetOf, type PageOf, type Window } from '../model/paging.js';
import type { Bind, Db, Reads, Tx } from '../store/db.js';
import { ASPECTS, keysIn, SYSTEM, updated } from '../store/feed.js';
import { packed, rowsAndTotal, whereOf } from '../store/packed.js';
import type { Actor } from './caller.js';

/** What is entered: the kind of thing, and what was done to it. Clients filter by these words, so none is renamed. */
export const ACTIONS = [
  'user.create',
  'user.update',
  'user.delete',
  'user.link',
  'api_key.create',
  'api_key.update',
  'api_key.delete',
  'user.grant',
  'user.ungrant',
  'sharing_tag.create',
  'sharing_tag.update',
  'sharing_tag.delete',
  'access_group.create',
  'access_group.update',
  'access_group.delete',
  'access_group.grant',
  'access_group.ungrant',
  'access_group.add_members',
  'access_group.remove_member',
  'access_group.add_mapping',
  'access_group.remove_mapping',
  'setting.update',
  'setting.reset',
  'backup.create',
  'backup.download',
  'backup.delete',
] as const;

export type Action = (typeof ACTIONS)[number];

export interface Target {
  readonly kind: string;
  readonly id: string;
  readonly name: string;
}

export interface Deed {
  readonly at: number;
  readonly by: Actor;
  readonly action: Action;
  readonly target: Target | null;
  /**
   * The account whose owner does this to it, or to its keys, as often as they like; REGISTRATIONS for what anybody can do; left out for
   * what takes rights over others.
   */
  readonly ownOf?: string;
  /** What changed, by name, and new values that are no secrets. Small. */
  readonly details?: Readonly<Record<string, unknown>>;
}

/** Half a year, or the newest of so many. */
const KEPT_MS = 180 * 24 * 3_600_000;
export const ENTRIES_MAX = 100_000;
/** Of what somebody does to an account of their own, counted apart: nobody pushes out what administrators did. */
export const OWN_MAX = 500;
/** In place of an account, for those that come and go unconfirmed: all of them share what is kept. */
export const REGISTRATIONS = 'registrations';
export const REGISTRATIONS_MAX = 10_000;
/** The most names in one entry; beside them is the number of all. */
export const NAMES_MAX = 20;
const ROWS_PER_TRANSACTION = 500;

const INSERT = `INSERT INTO audit_entry (uuid, at, actor_uuid, actor_name, key_name, address, action, target_kind, target_uuid, target_name, details,
    share, nth)
  VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11,
    ?12, 1 + coalesce((SELECT max(nth) FROM audit_entry WHERE share = ?12), 0)) RETURNING id, nth`;

const bytesOrNull = (id: string | undefined): Buffer | null => (id === undefined ? null : bytesOfUuid(id));

const shareOf = (ownOf: string | undefined): { readonly share: Buffer; readonly max: number } => {
  if (ownOf === undefined) return { share: Buffer.alloc(0), max: ENTRIES_MAX };
  if (ownOf === REGISTRATIONS) return { share: Buffer.from(REGISTRATIONS), max: REGISTRATIONS_MAX };
  return { share: bytesOfUuid(ownOf), max: OWN_MAX };
};

/** Enters what this transaction does. Of many entries of one share the oldest goes. */
export const audited = async (tx: Tx, { at, by, action, target, ownOf, details = {} }: Deed): Promise<void> => {
  const { caller, address } = by;
  const { share, max } = shareOf(ownOf);
  const made = await tx.all<{ id: number; nth: number }>(INSERT, [
    bytesOfUuid(uuidOfHex(newId(at))),
    at,
    bytesOrNull(caller?.user.id),
    caller?.user.username ?? null,
    caller?.via.kind === 'api-key' ? caller.via.name : null,
    address,
    action,
    target?.kind ?? null,
    bytesOrNull(target?.id),
    target?.name ?? null,
    JSON.stringify(details),
    share,
  ]);
  const newest = made[0]?.nth ?? 0;
  const gone = await tx.all<{ id: number }>('DELETE FROM audit_entry WHERE share = ? AND nth <= ? RETURNING id', [
    share,
    newest - max,
  ]);
  tx.report(updated('audit', [...keysIn(made), ...keysIn(gone)], ASPECTS.details));
};

export interface AuditEntry {
  readonly id: string;
  readonly at: number;
  /** Null: the server itself, its command line, or somebody without an account. */
  readonly actorId: string | null;
  readonly actorName: string | null;
  /** The API key that was used. */
  readonly keyName: string | null;
  readonly address: string | null;
  readonly action: string;
  readonly targetKind: string | null;
  readonly targetId: string | null;
  readonly targetName: string | null;
  readonly details: Readonly<Record<string, unknown>>;
}

const COLUMNS = packed<AuditEntry>({
  id: { sql: 'a.uuid', as: 'uuid' },
  at: { sql: 'a.at' },
  actorId: { sql: 'a.actor_uuid', as: 'uuid' },
  actorName: { sql: 'a.actor_name' },
  keyName: { sql: 'a.key_name' },
  address: { sql: 'a.address' },
  action: { sql: 'a.action' },
  targetKind: { sql: 'a.target_kind' },
  targetId: { sql: 'a.target_uuid', as: 'uuid' },
  targetName: { sql: 'a.target_name' },
  details: { sql: 'a.details', as: 'json' },
});

export interface AuditFilter {
  readonly action?: Action | undefined;
  readonly actorId?: string | undefined;
  readonly targetId?: string | undefined;
  /** From this moment on. */
  readonly from?: number | undefined;
  /** Before this moment. */
  readonly to?: number | undefined;
}

const conditionsOf = ({ action, actorId, targetId, from, to }: AuditFilter): readonly (readonly [string, Bind])[] => [
  ...(action === undefined ? [] : [['a.action = ?', action] as const]),
  ...(actorId === undefined ? [] : [['a.actor_uuid = ?', bytesOfUuid(actorId)] as const]),
  ...(targetId === undefined ? [] : [['a.target_uuid = ?', bytesOfUuid(targetId)] as const]),
  ...(from === undefined ? [] : [['a.at >= ?', from] as const]),
  ...(to === undefined ? [] : [['a.at < ?', to] as const]),
];

/** The newest first. */
export const auditEntries = async (db: Reads, filter: AuditFilter, window: Window): Promise<PageOf<AuditEntry>> => {
  const conditions = conditionsOf(filter);
  const from = `FROM audit_entry a${whereOf(conditions.map(([sql]) => sql))}`;
  const binds = conditions.map(([, bind]) => bind);
  const rows = `SELECT json_group_array(json(row)) FROM (SELECT ${COLUMNS.expression} AS row ${from}
    ORDER BY a.at DESC, a.id DESC LIMIT ? OFFSET ?)`;
  const page = { sql: rows, binds: [...binds, window.pageSize, offsetOf(window)] };
  return { ...window, ...(await rowsAndTotal(db, COLUMNS, page, { sql: `SELECT count(*) ${from}`, binds })) };
};

/** Deletes what is older than is kept. */
export const pruneAudit = async (db: Db, nowMs: number): Promise<void> => {
  const sql = `DELETE FROM audit_entry WHERE id IN (SELECT id FROM audit_entry WHERE at < ? ORDER BY at LIMIT ${ROWS_PER_TRANSACTION})
    RETURNING id`;
  for (;;) {
    const gone = await db.write(SYSTEM, 'background', async (tx) => {
      const keys = keysIn(await tx.all<{ id: number }>(sql, [nowMs - KEPT_MS]));
      tx.report(updated('audit', keys, ASPECTS.details));
      return keys.length;
    });
    if (gone < ROWS_PER_TRANSACTION) return;
  }
};
