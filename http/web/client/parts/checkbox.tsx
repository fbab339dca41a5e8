// Yes or no, as a checkbox with its label.
import { useId } from 'preact/hooks';

interface Props {
  readonly label: string;
  readonly hint?: string;
  readonly name?: string;
  readonly isOn: boolean;
  readonly onChange?: (isOn: boolean) => void;
}

export const Checkbox = ({ label, hint, name, isOn, onChange }: Props) => {
  const id = useId();
  return (
    <div class="checkbox">
      <label>
        <input
          type="checkbox"
          name={name}
          {...(onChange === undefined ? { defaultChecked: isOn } : { checked: isOn })}
          {...(hint === undefined ? {} : { 'aria-describedby': id })}
          onChange={(event) => onChange?.(event.currentTarget.checked)}
        />
        <span>{label}</span>
      </label>
      {hint !== undefined && (
        <p class="hint" id={id}>
          {hint}
        </p>
      )}
    </div>
  );
};
