// The caller's own sync secret, as far as it is shown.
import { orNull, record, text, time, yes } from '../../surface/wire.js';

export const SyncSecret = record('SyncSecret', { isSet: yes(true), setAt: orNull(time()) });

export const MadeSyncSecret = record('MadeSyncSecret', {
  secret: orNull(
    text('k7mq-x2dp-9rht-c4wz', 'The generated secret. Only this answer has it. Null when the caller chose one.'),
  ),
  setAt: time(),
});
