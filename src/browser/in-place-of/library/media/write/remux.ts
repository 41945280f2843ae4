// In place of media/write/remux.ts: no video is written.
import type { ThreadedSink } from '../../../../../library/media/write/encode.ts';
import { notHere } from '../../../../media/not-here.ts';

export { videoContainerFor } from '../../../../../library/media/write/remux.ts';

export function openRemux(): ThreadedSink {
  throw notHere('Moving pictures are not written');
}
