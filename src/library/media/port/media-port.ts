// What a host brings to read and write media files. In Node these modules stand on node-av. A browser's tab has its own
// in their places: src/browser/in-place-of, by WAV code of ours, mediabunny and the browser's codecs. Everything else
// in media, and all tools, dsp and edit, are the same on both.

/** By module of media: the names that others import of it. */
export interface MediaPort {
  readonly 'read/probe': Pick<
    typeof import('../read/probe.ts'),
    'probe' | 'factsWhenWritten' | 'soundFormat' | 'noSound' | 'chaptersOf'
  >;
  readonly 'read/decode': Pick<typeof import('../read/decode.ts'), 'openAudio'>;
  readonly 'read/segments/open-segments': Pick<typeof import('../read/segments/open-segments.ts'), 'openToMeasure'>;
  readonly 'read/readable-length': Pick<
    typeof import('../read/readable-length.ts'),
    'readableLength' | 'readablePictureSeconds'
  >;
  readonly 'write/encode': Pick<typeof import('../write/encode.ts'), 'openEncoder' | 'afterwards'>;
  readonly 'write/remux': Pick<typeof import('../write/remux.ts'), 'openRemux' | 'videoContainerFor'>;
  readonly 'write/cover': Pick<typeof import('../write/cover.ts'), 'readCovers'>;
  readonly 'write/copy-whole': Pick<typeof import('../write/copy-whole.ts'), 'copyWhole'>;
  readonly 'video/video-edit': Pick<typeof import('../video/video-edit.ts'), 'openVideoEdit'>;
  readonly 'video/video-join': Pick<typeof import('../video/video-join.ts'), 'openVideoJoin'>;
  readonly 'packets/packet-index': Pick<typeof import('../packets/packet-index.ts'), 'indexPackets'>;
}
