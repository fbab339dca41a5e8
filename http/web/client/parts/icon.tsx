// Icons, drawn on a field of 24 by 24 in the colour of the text. They decorate: what they stand for is said in words beside them, or by the
// label of their button.

const PATHS = {
  home: 'M4 11.5 12 4.5l8 7M6 10v9.5h12V10',
  libraries: 'M5 4.5h4v15H5zM9 4.5h4v15H9zM14.2 5.6l3.6-.9 3.2 14-3.6.9z',
  search: 'M10.5 4.5a6 6 0 1 1 0 12 6 6 0 0 1 0-12ZM15 15l5 5',
  settings: 'M4 7h9M17 7h3M4 17h3M11 17h9M15 4.5v5M9 14.5v5',
  back: 'M14.5 5 8 12l6.5 7',
  close: 'M6 6l12 12M18 6 6 18',
  check: 'M5 12.5l4.5 4.5L19 7.5',
  mark: 'M7 4.5h10v15l-5-4-5 4z',
  folder: 'M3.5 6.5h6l2 2.5h9v9.5h-17z',
  more: 'M6 12h.01M12 12h.01M18 12h.01',
  plus: 'M12 5v14M5 12h14',
  up: 'M12 19V6M6 11.5 12 5.5l6 6',
  list: 'M4 6.5h.01M4 12h.01M4 17.5h.01M8.5 6.5H20M8.5 12H20M8.5 17.5H20',
  grip: 'M9 6.5h.01M15 6.5h.01M9 12h.01M15 12h.01M9 17.5h.01M15 17.5h.01',
  edit: 'M5 19l.8-3.6L16 5.2l2.8 2.8L8.6 18.2zM14 7.2l2.8 2.8',
  undo: 'M8.5 5 4.5 9l4 4M4.5 9H14a5 5 0 0 1 0 10H9',
  locked: 'M6 11h12v8.5H6zM8.5 11V8a3.5 3.5 0 0 1 7 0v3',
  unlocked: 'M6 11h12v8.5H6zM8.5 11V8a3.5 3.5 0 0 1 6.6-1.6',
  picture: 'M4.5 5h15v14h-15zM4.5 16l4.5-4.5 4 4 2.5-2.5 4 4M15.5 9h.01',
  trash: 'M5 7h14M9.5 7V4.5h5V7M7 7l.8 12.5h8.4L17 7',
  book: 'M5 5h14v14H5zM9 5v14',
  alert: 'M12 4.5 21 19.5H3zM12 10v4.5M12 17h.01',
  download: 'M12 4.5v10.5M7 10.5l5 5 5-5M5 19.5h14',
} as const;

export type IconName = keyof typeof PATHS;

/** Icons that point along the text direction, mirrored in right-to-left layouts. */
const DIRECTIONAL: ReadonlySet<IconName> = new Set(['back', 'list', 'undo']);

export const Icon = ({ name, filled = false }: { readonly name: IconName; readonly filled?: boolean }) => (
  <svg
    class={DIRECTIONAL.has(name) ? 'icon directional' : 'icon'}
    viewBox="0 0 24 24"
    aria-hidden="true"
    focusable="false"
  >
    <path
      d={PATHS[name]}
      fill={filled ? 'currentColor' : 'none'}
      stroke="currentColor"
      stroke-width={name === 'more' || name === 'grip' ? 2.6 : 1.7}
      stroke-linecap="round"
      stroke-linejoin="round"
    />
  </svg>
);
