// Icons that only the reader has, drawn like those of the rest of the client.

const PATHS = {
  back: 'M14.5 5 8 12l6.5 7',
  settings: 'M4 7h9M17 7h3M4 17h3M11 17h9M15 4.5v5M9 14.5v5',
  pages: 'M4.5 4.5h6v6h-6zM13.5 4.5h6v6h-6zM4.5 13.5h6v6h-6zM13.5 13.5h6v6h-6z',
  keys: 'M3.5 7h17v10h-17zM7 10.2h.01M10.3 10.2h.01M13.7 10.2h.01M17 10.2h.01M8 13.8h8',
  fullscreen: 'M4.5 9V4.5H9M15 4.5h4.5V9M19.5 15v4.5H15M9 19.5H4.5V15',
  incognito: 'M3 12s3.5-6 9-6 9 6 9 6-3.5 6-9 6-9-6-9-6ZM4.5 4.5l15 15',
  'to-left': 'M12.5 6 6.5 12l6 6M18 6v12',
  'to-right': 'M11.5 6l6 6-6 6M6 6v12',
} as const;

export type ReaderIconName = keyof typeof PATHS;

export const ReaderIcon = ({ name }: { readonly name: ReaderIconName }) => (
  <svg class={name === 'back' ? 'icon directional' : 'icon'} viewBox="0 0 24 24" aria-hidden="true" focusable="false">
    <path
      d={PATHS[name]}
      fill="none"
      stroke="currentColor"
      stroke-width={1.7}
      stroke-linecap="round"
      stroke-linejoin="round"
    />
  </svg>
);
