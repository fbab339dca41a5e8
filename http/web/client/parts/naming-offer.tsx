// Libraries that name books by their files alone, although the files say more: whoever may change them is asked once.
import { useSignal } from '@preact/signals';
import { b } from '../messages/browse-messages.js';
import { type Library, librariesStrategiesPreview } from '../state/api.js';
import { namingOf, STRATEGIES } from '../state/naming.js';
import { answerOffer, isAnswered } from '../state/naming-answers.js';
import { useFetched } from './fetched.js';

/** By the library and its last scan: visits of the screen share an answer. */
const asked = new Map<string, Promise<number>>();

const changesIn = ({ id, lastScannedAt }: Library): Promise<number> => {
  const key = `${id} ${lastScannedAt}`;
  const answer =
    asked.get(key) ?? librariesStrategiesPreview({ id, body: STRATEGIES.metadata }).then(({ changed }) => changed);
  asked.set(key, answer);
  answer.catch(() => asked.delete(key));
  return answer;
};

interface Props {
  readonly library: Library;
  /** Opens its settings, with metadata chosen. */
  readonly onShow: () => void;
}

export const NamingOffer = ({ library, onShow }: Props) => {
  const isGone = useSignal(false);
  const isOffered = namingOf(library) === 'names';
  const changed = useFetched(
    async (signal) => {
      if (!isOffered || (await isAnswered(library.id, { signal }))) return 0;
      return changesIn(library);
    },
    [library.id, isOffered, library.lastScannedAt],
    { keepsOld: 'even on errors' },
  );
  const { value } = changed.state;
  if (isGone.value || !isOffered || value.kind !== 'done' || value.value === 0) return null;
  return (
    <div class="naming-offer">
      <p>{b.naming.offer(value.value)}</p>
      <div class="buttons">
        <button type="button" class="button" onClick={onShow}>
          {b.naming.show}
        </button>
        <button
          type="button"
          class="button"
          onClick={() => {
            isGone.value = true;
            void answerOffer(library.id);
          }}
        >
          {b.naming.decline}
        </button>
      </div>
    </div>
  );
};
