// One condition of a filter: a field, how it is compared, and with what.
import { useSignal } from '@preact/signals';
import { useId } from 'preact/hooks';
import { b } from '../messages/browse-messages.js';
import type { Library } from '../state/api.js';
import { valuesFor } from '../state/filter-values.js';
import {
  type Clause,
  clauseOf,
  type FieldName,
  fieldsOf,
  isOfPeople,
  kindOf,
  OPERATORS,
  takesValue,
  type WallOf,
} from '../state/filters.js';
import { useFetched } from './fetched.js';
import { choicesOf, fieldText, operatorText } from './filter-words.js';
import { Icon } from './icon.js';

interface Props {
  readonly of: WallOf;
  readonly clause: Clause;
  readonly libraries: readonly Library[];
  readonly onChange: (clause: Clause) => void;
  readonly onRemove: () => void;
}

interface SelectProps {
  readonly label: string;
  readonly value: string;
  readonly options: readonly (readonly [value: string, text: string])[];
  readonly onChoose: (value: string) => void;
}

const Options = ({ of }: { readonly of: SelectProps['options'] }) =>
  of.map(([one, text]) => (
    <option key={one} value={one}>
      {text}
    </option>
  ));

const Select = ({ label, value, options, onChoose }: SelectProps) => (
  <select aria-label={label} value={value} onChange={(event) => onChoose(event.currentTarget.value)}>
    <Options of={options} />
  </select>
);

type FieldProps = Pick<Props, 'of' | 'clause' | 'onChange'>;

/** The roles of people are a group among the fields: there are many, and some of their names say too little on their own. */
const FieldSelect = ({ of, clause, onChange }: FieldProps) => {
  const fields = fieldsOf(of);
  const optionsOf = (some: readonly FieldName[]) => some.map((one) => [one, fieldText(one)] as const);
  const first = fields.findIndex(isOfPeople);
  const others = fields.slice(first).filter((one) => !isOfPeople(one));
  return (
    <select
      aria-label={b.filter.field}
      value={clause.field}
      onChange={(event) => {
        const found = fields.find((one) => one === event.currentTarget.value);
        if (found !== undefined) onChange(clauseOf(found));
      }}
    >
      <Options of={optionsOf(fields.slice(0, first))} />
      <optgroup label={b.filter.people}>
        <Options of={optionsOf(fields.filter(isOfPeople))} />
      </optgroup>
      <Options of={optionsOf(others)} />
    </select>
  );
};

interface ValueProps {
  readonly of: WallOf;
  readonly clause: Clause;
  readonly onValue: (value: string) => void;
}

/** A name, of which those that the library knows are offered. */
const NameValue = ({ of, clause: { field, value }, onValue }: ValueProps) => {
  const id = useId();
  const typed = useSignal(value);
  const names = useFetched((signal) => valuesFor(of, field, typed.value, { signal }), [of, field, typed.value], {
    keepsOld: 'even on errors',
  });
  return (
    <>
      <input
        type="text"
        aria-label={fieldText(field)}
        list={id}
        value={value}
        autocomplete="off"
        maxLength={500}
        onInput={(event) => {
          typed.value = event.currentTarget.value;
          onValue(event.currentTarget.value);
        }}
      />
      <datalist id={id}>
        {names.state.value.kind === 'done' && names.state.value.value.map((name) => <option key={name} value={name} />)}
      </datalist>
    </>
  );
};

const INPUTS = { number: 'number', date: 'date', text: 'text' } as const;

const Value = ({ of, clause, onValue, libraries }: ValueProps & { readonly libraries: readonly Library[] }) => {
  const { field, value } = clause;
  const kind = kindOf(field);
  const label = fieldText(field);
  if (kind === 'flag' || !takesValue(clause.operator)) return null;
  if (kind === 'name') return <NameValue of={of} clause={clause} onValue={onValue} />;
  if (kind === 'library' || kind === 'word') {
    const known = kind === 'library' ? libraries.map(({ id, name }) => [id, name] as const) : choicesOf(field);
    return <Select label={label} value={value} options={[['', b.filter.choose], ...known]} onChoose={onValue} />;
  }
  return (
    <input
      type={INPUTS[kind] as 'text'}
      aria-label={label}
      value={value}
      min={kind === 'number' ? 0 : undefined}
      onInput={(event) => onValue(event.currentTarget.value)}
    />
  );
};

export const ClauseRow = ({ of, clause, libraries, onChange, onRemove }: Props) => {
  const { field, operator } = clause;
  return (
    <li class="clause">
      <FieldSelect of={of} clause={clause} onChange={onChange} />
      <Select
        label={b.filter.comparison}
        value={operator}
        options={OPERATORS[kindOf(field)].map((one) => [one, operatorText(one)] as const)}
        onChoose={(chosen) => onChange({ ...clause, operator: chosen })}
      />
      <Value of={of} clause={clause} libraries={libraries} onValue={(value) => onChange({ ...clause, value })} />
      <button type="button" class="button round" aria-label={b.filter.removeOne} onClick={onRemove}>
        <Icon name="close" />
      </button>
    </li>
  );
};
