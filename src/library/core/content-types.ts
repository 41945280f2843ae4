/** Content types of files by extension: of uploads until they are checked, of checked files, and of outputs. */
export const contentTypes = {
  wav: 'audio/wav',
  mp3: 'audio/mpeg',
  m4a: 'audio/mp4',
  m4b: 'audio/mp4',
  flac: 'audio/flac',
  ogg: 'audio/ogg',
  oga: 'audio/ogg',
  opus: 'audio/ogg; codecs=opus',
  aiff: 'audio/aiff',
  aif: 'audio/aiff',
  aac: 'audio/aac',
  wma: 'audio/x-ms-wma',
  ac3: 'audio/ac3',
  amr: 'audio/amr',
  caf: 'audio/x-caf',
  mp4: 'video/mp4',
  m4v: 'video/mp4',
  mov: 'video/quicktime',
  mkv: 'video/x-matroska',
  webm: 'video/webm',
  avi: 'video/x-msvideo',
  ts: 'video/mp2t',
  mpg: 'video/mpeg',
  mpeg: 'video/mpeg',
  flv: 'video/x-flv',
  wmv: 'video/x-ms-wmv',
  '3gp': 'video/3gpp',
  eac3: 'audio/eac3',
  au: 'audio/basic',
  dts: 'audio/vnd.dts',
  wv: 'audio/x-wavpack',
  ape: 'audio/x-ape',
  tta: 'audio/x-tta',
  gsm: 'audio/gsm',
  mpc: 'audio/x-musepack',
  dsf: 'audio/x-dsf',
  tak: 'audio/x-tak',
  rm: 'application/vnd.rn-realmedia',
  swf: 'application/x-shockwave-flash',
  mxf: 'application/mxf',
  txt: 'text/plain',
  srt: 'application/x-subrip',
  vtt: 'text/vtt',
  json: 'application/json',
} as const;

export const unknownContentType = 'application/octet-stream';

/** null: an unknown extension. @param extension without the dot, in lower case */
export function contentTypeOfExtension(extension: string): string | null {
  return Object.hasOwn(contentTypes, extension) ? contentTypes[extension as keyof typeof contentTypes] : null;
}
