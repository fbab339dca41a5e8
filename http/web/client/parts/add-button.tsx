// The button on the page of a series or book that adds it to a collection or read list.
import { useSignal } from '@preact/signals';
import { b } from '../messages/browse-messages.js';
import { type ListKind, WRITES } from '../state/named-lists.js';
import { may } from '../state/session.js';
import { AddToList } from './add-to-list.js';
import { Icon } from './icon.js';

export const AddButton = ({ kind, id }: { readonly kind: ListKind; readonly id: string }) => {
  const isOpen = useSignal(false);
  if (!may(WRITES[kind])) return null;
  return (
    <>
      <button
        type="button"
        class="button"
        onClick={() => {
          isOpen.value = true;
        }}
      >
        <Icon name="plus" />
        {b.kinds[kind].addTo}
      </button>
      {isOpen.value && (
        <AddToList
          kind={kind}
          ids={[id]}
          onClose={() => {
            isOpen.value = false;
          }}
        />
      )}
    </>
  );
};
