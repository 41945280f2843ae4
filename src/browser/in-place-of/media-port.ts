// All that a tab brings to read and write media files, held against the port's types.
import type { MediaPort } from '../../library/media/port/media-port.ts';
import * as packetIndex from './library/media/packets/packet-index.ts';
import * as decode from './library/media/read/decode.ts';
import * as probe from './library/media/read/probe.ts';
import * as readableLength from './library/media/read/readable-length.ts';
import * as openSegments from './library/media/read/segments/open-segments.ts';
import * as videoEdit from './library/media/video/video-edit.ts';
import * as videoJoin from './library/media/video/video-join.ts';
import * as copyWhole from './library/media/write/copy-whole.ts';
import * as cover from './library/media/write/cover.ts';
import * as encode from './library/media/write/encode.ts';
import * as remux from './library/media/write/remux.ts';

export const tabMedia: MediaPort = {
  'read/probe': probe,
  'read/decode': decode,
  'read/segments/open-segments': openSegments,
  'read/readable-length': readableLength,
  'write/encode': encode,
  'write/remux': remux,
  'write/cover': cover,
  'write/copy-whole': copyWhole,
  'video/video-edit': videoEdit,
  'video/video-join': videoJoin,
  'packets/packet-index': packetIndex,
};
