// In place of media/video/video-edit.ts: no video is written.
import { notHere } from '../../../../media/not-here.ts';

export function openVideoEdit(): never {
  throw notHere('Moving pictures are not cut');
}
