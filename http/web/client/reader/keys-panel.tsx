// The keys: what each does now, and other keys for it.
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { r } from '../messages/reader-messages.js';
import { Panel } from './panel.js';
import type { Reading } from './reading.js';
import { ACTIONS, type Action, actionOf, bindingsOf, bound, comboOf, ownKeys, unbound } from './rules/keys.js';

interface RowProps {
  readonly action: Action;
  readonly combos: readonly string[];
  readonly isWaiting: boolean;
  readonly onAdd: () => void;
  readonly onRemove: (combo: string) => void;
}

const KeyRow = ({ action, combos, isWaiting, onAdd, onRemove }: RowProps) => (
  <tr>
    <th scope="row">{r.actions[action]}</th>
    <td>
      {combos.map((combo) => (
        <button
          key={combo}
          type="button"
          class="key"
          aria-label={r.keys.remove(r.keys.name(combo), r.actions[action])}
          title={r.keys.remove(r.keys.name(combo), r.actions[action])}
          onClick={() => onRemove(combo)}
        >
          <kbd>{r.keys.name(combo)}</kbd>
        </button>
      ))}
      <button
        type="button"
        class="key add"
        aria-label={r.keys.add(r.actions[action])}
        aria-pressed={isWaiting}
        onClick={onAdd}
      >
        {isWaiting ? r.keys.press : '+'}
      </button>
    </td>
  </tr>
);

export const KeysPanel = ({ reading }: { readonly reading: Reading }) => {
  const waiting = useSignal<Action | null>(null);
  const note = useSignal('');
  const bindings = bindingsOf(reading.stored.all.value.keys);
  useEffect(() => {
    const press = (event: KeyboardEvent): void => {
      const action = waiting.value;
      const combo = comboOf(event);
      if (action === null || combo === undefined) return;
      event.preventDefault();
      event.stopPropagation();
      waiting.value = null;
      if (combo === 'Escape' || combo === 'Tab') return;
      const now = bindingsOf(reading.stored.all.value.keys);
      const before = actionOf(now, combo);
      note.value = before === undefined || before === action ? '' : r.keys.taken(r.keys.name(combo), r.actions[before]);
      reading.stored.change({ keys: ownKeys(bound(now, action, combo)) });
    };
    addEventListener('keydown', press, { capture: true });
    return () => removeEventListener('keydown', press, { capture: true });
  }, [reading, waiting, note]);
  return (
    <Panel
      title={r.bar.keys}
      kind="window"
      onClose={() => {
        reading.panel.value = null;
      }}
    >
      <p class="hint">{r.keys.hint}</p>
      <p class="hint" role="status">
        {note.value}
      </p>
      <table class="keys">
        <tbody>
          {ACTIONS.map((action) => (
            <KeyRow
              key={action}
              action={action}
              combos={bindings[action]}
              isWaiting={waiting.value === action}
              onAdd={() => {
                waiting.value = waiting.value === action ? null : action;
              }}
              onRemove={(combo) => reading.stored.change({ keys: ownKeys(unbound(bindings, action, combo)) })}
            />
          ))}
        </tbody>
      </table>
      <button type="button" class="button" onClick={() => reading.stored.change({ keys: {} })}>
        {r.keys.reset}
      </button>
    </Panel>
  );
};
