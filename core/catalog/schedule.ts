// What a library says about its scans; refuses a schedule that could never run.
import { patternFault, zoneFault } from '../engine/cron.js';
import { AppError } from '../model/errors.js';

export type ScanMode = 'normal' | 'deep';

/** When, and how, a library is scanned without being asked to. */
export interface ScanConfig {
  readonly enabled: boolean;
  readonly mode: ScanMode;
  readonly cron: string | null;
  readonly onStart: boolean;
  readonly zone: string | null;
  readonly purge: boolean;
  readonly watch: boolean;
}

const refuse = (field: string, message: string): never => {
  const path = `scanningConfig.${field}`;
  throw new AppError('BadRequest', `${path} ${message}`, [{ path, message }]);
};

/** Throws for a pattern or a time zone that does not exist. What is not changed is not looked at. */
export const checkSchedule = (change: Partial<ScanConfig> | undefined, nowMs: number): void => {
  const pattern = change?.cron == null ? undefined : patternFault(change.cron, nowMs);
  if (pattern !== undefined) refuse('cronSchedule', pattern);
  const zone = change?.zone == null ? undefined : zoneFault(change.zone, nowMs);
  if (zone !== undefined) refuse('cronTimezone', zone);
};
