// Who made a series or book, as rows of a name and what they did.

import { b } from '../messages/browse-messages.js';
import { t } from '../messages/messages.js';
import type { Person } from '../state/editing.js';
import { Icon } from './icon.js';

const ROLES = Object.keys(t.roles) as Person['role'][];

interface Props {
  readonly people: readonly Person[];
  readonly onChange: (people: readonly Person[]) => void;
}

export const PeopleEditor = ({ people, onChange }: Props) => {
  const change = (place: number, by: Partial<Person>): void =>
    onChange(people.map((one, at) => (at === place ? { ...one, ...by } : one)));
  return (
    <div class="people">
      <ul class="clauses">
        {people.map((person, place) => (
          <li key={place} class="clause">
            <input
              type="text"
              aria-label={b.edit.personName}
              value={person.name}
              maxLength={500}
              onInput={(event) => change(place, { name: event.currentTarget.value, sortName: null })}
            />
            <select
              aria-label={b.edit.personRole}
              value={person.role}
              onChange={(event) => {
                const role = ROLES.find((one) => one === event.currentTarget.value);
                if (role !== undefined) change(place, { role });
              }}
            >
              {ROLES.map((role) => (
                <option key={role} value={role}>
                  {t.roles[role]}
                </option>
              ))}
            </select>
            <button
              type="button"
              class="button round"
              aria-label={b.edit.removePerson(person.name)}
              onClick={() => onChange(people.filter((_, at) => at !== place))}
            >
              <Icon name="close" />
            </button>
          </li>
        ))}
      </ul>
      <button
        type="button"
        class="button"
        onClick={() => onChange([...people, { name: '', role: 'writer', sortName: null }])}
      >
        <Icon name="plus" />
        {b.edit.addPerson}
      </button>
    </div>
  );
};
