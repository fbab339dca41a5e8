// The tap zones, drawn over the pages where they are.

import { useEffect } from 'preact/hooks';
import { r } from '../messages/reader-messages.js';
import { openLayer } from '../state/layers.js';
import type { Reading } from './reading.js';
import { SIDE, zonesOf } from './rules/tap-zones.js';

export const ZonesPreview = ({ reading }: { readonly reading: Reading }) => {
  const { zones: preset, ownZones: own, zonesFlip: flip } = reading.stored.all.value;
  const zones = zonesOf({ preset, own, flip, isRtl: reading.layout.value.isRtl });
  const hide = (): void => {
    reading.areZonesShown.value = false;
  };
  useEffect(() => openLayer(hide), []);
  return (
    <button type="button" class="zones" aria-label={r.zones.hide} onClick={hide}>
      {zones.map((action, index) => (
        <span key={`${Math.floor(index / SIDE)}-${index % SIDE}`} class={`zone ${action}`}>
          {r.zones.actions[action]}
        </span>
      ))}
    </button>
  );
};
