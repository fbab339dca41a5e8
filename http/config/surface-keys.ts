// Settings of the surfaces for other people's apps. Part of the table in config-keys.ts.
export const SURFACE_KEYS = {} as const;
