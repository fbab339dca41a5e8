// Links of a Readium manifest. Properties are left out where there is nothing to say, as its schema demands.

export interface Link {
  readonly href: string;
  readonly type?: string | undefined;
  /** A single one: some apps read no list. */
  readonly rel?: string | undefined;
  readonly title?: string | undefined;
  readonly width?: number | undefined;
  readonly height?: number | undefined;
  readonly children?: readonly Link[] | undefined;
}

export const TYPES = {
  divina: 'application/divina+json',
  webpub: 'application/webpub+json',
  positions: 'application/vnd.readium.position-list+json',
  progression: 'application/vnd.readium.progression+json',
} as const;

export const unlessEmpty = <T>(list: readonly T[]): readonly T[] | undefined => (list.length === 0 ? undefined : list);
