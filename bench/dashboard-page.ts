// The panels of docs/grafana.json as a page of SVG, from scrapes in memory.
import { evaluate, type Scrape } from './dashboard-query.js';

export interface Panel {
  readonly title: string;
  readonly type: string;
  readonly gridPos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number };
  readonly fieldConfig: { readonly defaults: { readonly unit: string } };
  readonly targets: readonly { readonly expr: string; readonly legendFormat: string }[];
}

const COLUMN = 64;
const ROW = 30;
const COLOURS = ['#7eb26d', '#eab839', '#6ed0e0', '#ef843c', '#e24d42', '#1f78c1', '#ba43a9', '#705da0'];

interface Line {
  readonly name: string;
  readonly points: readonly (readonly [atS: number, value: number])[];
}

const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');

const nameOf = (legend: string, labels: Readonly<Record<string, string>>): string =>
  legend.replaceAll(/\{\{(\w+)\}\}/g, (_, label: string) => labels[label] ?? '');

const linesOf = ({ targets }: Panel, scrapes: readonly Scrape[]): readonly Line[] => {
  const lines = new Map<string, [number, number][]>();
  for (const { expr, legendFormat } of targets)
    for (let at = 1; at <= scrapes.length; at += 1)
      for (const { labels, value } of evaluate(expr, scrapes.slice(Math.max(0, at - 10), at))) {
        const name = nameOf(legendFormat, labels);
        if (!Number.isFinite(value)) continue;
        lines.set(name, [...(lines.get(name) ?? []), [scrapes[at - 1]?.atS ?? 0, value]]);
      }
  return [...lines].map(([name, points]) => ({ name, points }));
};

const scaled = (value: number, steps: readonly string[], factor: number): string => {
  let [rest, at] = [value, 0];
  while (Math.abs(rest) >= factor && at < steps.length - 1) [rest, at] = [rest / factor, at + 1];
  return `${Number(rest.toPrecision(3))}${steps[at]}`;
};

const shown = (value: number, unit: string): string => {
  if (unit === 'percentunit') return `${Math.round(value * 100)} %`;
  if (unit === 's')
    return value < 1 ? `${Number((value * 1000).toPrecision(3))} ms` : `${Number(value.toPrecision(3))} s`;
  if (unit === 'bytes' || unit === 'Bps')
    return scaled(value, [' B', ' KiB', ' MiB', ' GiB', ' TiB'], 1024) + (unit === 'Bps' ? '/s' : '');
  return scaled(value, ['', ' k', ' M'], 1000) + (unit === 'reqps' || unit === 'cps' ? '/s' : '');
};

const chart = (lines: readonly Line[], unit: string, width: number, height: number): string => {
  const all = lines.flatMap(({ points }) => points);
  const top = Math.max(...all.map(([, value]) => value), 0) || 1;
  const [from, to] = [Math.min(...all.map(([at]) => at)), Math.max(...all.map(([at]) => at))];
  const [left, bottom] = [70, height - 18 - 14 * Math.ceil(lines.length / 2)];
  const place = ([at, value]: readonly [number, number]): string =>
    `${(left + ((at - from) / (to - from || 1)) * (width - left - 12)).toFixed(1)},${(bottom - (value / top) * (bottom - 34)).toFixed(1)}`;
  const grid = [0, 0.5, 1].map((part) => {
    const y = bottom - part * (bottom - 34);
    return `<line x1="${left}" x2="${width - 12}" y1="${y}" y2="${y}" stroke="#2c3235"/><text x="${left - 6}" y="${y + 4}" text-anchor="end" class="axis">${shown(top * part, unit)}</text>`;
  });
  const drawn = lines.map(
    ({ points }, at) =>
      `<polyline fill="none" stroke="${COLOURS[at % COLOURS.length]}" stroke-width="1.6" points="${points.map(place).join(' ')}"/>`,
  );
  const legend = lines.map(({ name, points }, at) => {
    const [x, y] = [14 + (at % 2) * (width / 2 - 8), bottom + 20 + 14 * Math.floor(at / 2)];
    const text = `${name} ${shown(points.at(-1)?.[1] ?? 0, unit)}`;
    return `<rect x="${x}" y="${y - 8}" width="10" height="3" fill="${COLOURS[at % COLOURS.length]}"/><text x="${x + 15}" y="${y - 3}" class="legend">${escaped(text)}</text>`;
  });
  return [...grid, ...drawn, ...legend].join('');
};

const stat = (lines: readonly Line[], unit: string, width: number, height: number): string => {
  const [line] = lines;
  const value = line?.points.at(-1)?.[1] ?? 0;
  const text = line !== undefined && /^\d+\.\d+/.test(line.name) ? line.name : shown(value, unit);
  return `<text x="${width / 2}" y="${height / 2 + 22}" text-anchor="middle" class="stat">${escaped(text)}</text>`;
};

const panelSvg = (panel: Panel, scrapes: readonly Scrape[]): string => {
  const { x, y, w, h } = panel.gridPos;
  const [width, height] = [w * COLUMN - 8, h * ROW - 8];
  const { unit } = panel.fieldConfig.defaults;
  const draw = panel.type === 'stat' ? stat : chart;
  return `<g transform="translate(${x * COLUMN + 4} ${y * ROW + 44})"><rect width="${width}" height="${height}" rx="3" fill="#181b1f"/>
    <text x="12" y="20" class="title">${escaped(panel.title)}</text>${draw(linesOf(panel, scrapes), unit, width, height)}</g>`;
};

const STYLE =
  'body{margin:0;background:#111217}text{font:11px sans-serif;fill:#c7d0d9}.title{font-size:13px;fill:#e0e4e8}.axis{font-size:10px;fill:#8e9aa6}.legend{font-size:10px}.stat{font-size:26px;fill:#7eb26d}.head{font-size:15px}';

/** `say` stands above the panels. */
export const pageOf = (panels: readonly Panel[], scrapes: readonly Scrape[], say: string): string => {
  const rows = Math.max(...panels.map(({ gridPos: { y, h } }) => y + h));
  return `<!doctype html><meta charset="utf-8"><title>Longbox</title><style>${STYLE}</style>
<svg xmlns="http://www.w3.org/2000/svg" width="${24 * COLUMN}" height="${rows * ROW + 52}"><text x="12" y="28" class="head">${escaped(say)}</text>
${panels.map((panel) => panelSvg(panel, scrapes)).join('\n')}</svg>`;
};
