// Lighthouse on screens of the web client, with the Chromium of this machine. It is large and needed here alone, so npm puts it beside the
// other things that measurements leave.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CHROMIUM } from './client-browser.js';
import { median } from './measure.js';
import { LOGIN } from './program.js';

const VERSION = '12.8.2';
const DEADLINE_MS = 120_000;
export const CATEGORIES = ['performance', 'accessibility', 'best-practices'] as const;
export type Scores = Readonly<Record<(typeof CATEGORIES)[number], number>>;

/** Undefined where it cannot be installed. */
const installed = (folder: string): string | undefined => {
  const place = join(folder, 'lighthouse');
  const cli = join(place, 'node_modules', 'lighthouse', 'cli', 'index.js');
  if (existsSync(cli)) return cli;
  mkdirSync(place, { recursive: true });
  writeFileSync(join(place, 'package.json'), '{"private":true}');
  const { status } = spawnSync('npm', ['install', '--no-audit', '--no-fund', `lighthouse@${VERSION}`], { cwd: place });
  return status === 0 && existsSync(cli) ? cli : undefined;
};

interface Report {
  readonly categories: Readonly<Record<string, { readonly score: number | null }>>;
}

const once = (cli: string, address: string, cookies: string, out: string): Scores => {
  const flags = [
    '--quiet',
    '--chrome-flags=--headless=new --no-sandbox --disable-dev-shm-usage',
    ...(cookies === '' ? [] : [`--extra-headers=${JSON.stringify({ Cookie: cookies })}`]),
    '--output=json',
    `--output-path=${out}`,
    `--only-categories=${CATEGORIES.join(',')}`,
  ];
  const env = { ...process.env, CHROME_PATH: CHROMIUM };
  const run = () =>
    spawnSync(process.execPath, [cli, address, ...flags], { encoding: 'utf8', env, timeout: DEADLINE_MS });
  let { status, stderr } = run();
  // Lighthouse itself asks for that when the browser has not recorded the beginning of a load.
  if (status !== 0 && stderr.includes('Please run Lighthouse again')) ({ status, stderr } = run());
  if (status !== 0) throw new Error(`lighthouse failed at ${address}: ${stderr.slice(-500)}`);
  const { categories } = JSON.parse(readFileSync(out, 'utf8')) as Report;
  const scores = CATEGORIES.map((name) => [name, Math.round(100 * (categories[name]?.score ?? 0))] as const);
  return Object.fromEntries(scores) as Record<(typeof CATEGORIES)[number], number>;
};

const cookiesOf = async (base: string): Promise<string> => {
  const { username, password } = LOGIN;
  const { headers } = await fetch(`${base}/api/v1/auth/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ username, password, cookie: true }),
  });
  return headers
    .getSetCookie()
    .map((cookie) => cookie.split(';')[0] ?? '')
    .join('; ');
};

/** The median of some runs for each path, signed in unless it is the sign-in page. Undefined where lighthouse cannot be installed. */
export const lighthouse = async (
  base: string,
  paths: readonly string[],
  runs: number,
  folder: string,
): Promise<readonly Scores[] | undefined> => {
  const cli = installed(folder);
  if (cli === undefined) return undefined;
  const place = mkdtempSync(join(tmpdir(), 'longbox-lighthouse-'));
  const found: Scores[] = [];
  try {
    for (const path of paths) {
      const cookies = path === '/sign-in' ? '' : await cookiesOf(base);
      const scores = Array.from({ length: runs }, () => once(cli, base + path, cookies, join(place, 'report.json')));
      const middle = CATEGORIES.map((name) => [name, median(scores.map((one) => one[name]))] as const);
      found.push(Object.fromEntries(middle) as Record<(typeof CATEGORIES)[number], number>);
    }
    return found;
  } finally {
    rmSync(place, { recursive: true, force: true });
  }
};
