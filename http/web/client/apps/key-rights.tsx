// The permissions of a new key, one by one: those that the signed-in user has.
import { a } from '../messages/apps-messages.js';
import { Checkbox } from '../parts/checkbox.js';
import { may } from '../state/session.js';

export type Right = keyof typeof a.rights;
const RIGHTS = Object.keys(a.rights) as readonly Right[];

/** A key never has a permission that its user lacks. */
export const ownRights = (): readonly Right[] => RIGHTS.filter(may);

interface Props {
  readonly chosen: ReadonlySet<Right>;
  readonly isOpen: boolean;
  readonly onOpen: (isOpen: boolean) => void;
  readonly onChange: (chosen: ReadonlySet<Right>) => void;
}

export const KeyRights = ({ chosen, isOpen, onOpen, onChange }: Props) => (
  <details class="setting-group" open={isOpen} onToggle={(event) => onOpen(event.currentTarget.open)}>
    <summary>{a.chooseRights}</summary>
    <div>
      <fieldset class="key-rights">
        <legend class="visually-hidden">{a.rightsOf}</legend>
        {ownRights().map((right) => (
          <Checkbox
            key={right}
            label={a.rights[right]}
            isOn={chosen.has(right)}
            onChange={(isOn) =>
              onChange(new Set(ownRights().filter((one) => (one === right ? isOn : chosen.has(one)))))
            }
          />
        ))}
      </fieldset>
      <p role="status" class="hint">
        {chosen.size === 0 && a.noRights}
      </p>
    </div>
  </details>
);
