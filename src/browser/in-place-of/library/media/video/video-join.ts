// In place of media/video/video-join.ts: no video is written.
import { notHere } from '../../../../media/not-here.ts';

export function openVideoJoin(): never {
  throw notHere('Moving pictures are not joined');
}
