import { largestCoverBytes, pictureFormats } from '../../core/files/cover-pictures.ts';
import { textFormats, type TextFormat } from '../../contract/text-files.ts';
import type { FileList, InputRole, MediaNeed, OptionalFile, RequiredFile } from '../../contract/tool-inputs.ts';

/** The role of a field with one file, optional or required. */
type OneFile<Optional extends boolean> = Optional extends true ? OptionalFile : RequiredFile;

const oneFile = <Optional extends boolean>(
  optional: Optional,
  role: Pick<InputRole, 'kind' | 'title' | 'needs' | 'extensions' | 'maxBytes'>,
): OneFile<Optional> =>
  ({ ...role, min: optional ? 0 : 1, max: 1, minGiven: 1, multiple: false }) as InputRole as OneFile<Optional>;

/** One audio or video file. Default: it must have audio. */
export function mediaFile<const Optional extends boolean = false>(
  role: { needs?: MediaNeed; title?: string; optional?: Optional } = {},
): OneFile<Optional> {
  const { needs = 'audio', title = 'Audio or video file', optional = false as Optional } = role;
  return oneFile(optional, { kind: 'media', title, needs, extensions: [], maxBytes: null });
}

/** `min` to `max` audio or video files, in order. */
export function mediaFiles(role: {
  min: number;
  max: number;
  needs?: MediaNeed;
  title?: string;
  optional?: boolean;
  comesBack?: boolean;
}): FileList {
  const { min, max, needs = 'audio', title = 'Audio or video files, in order', optional = false } = role;
  return {
    kind: 'media',
    title,
    min: optional ? 0 : min,
    max,
    minGiven: min,
    multiple: true,
    needs,
    extensions: [],
    maxBytes: null,
    ...(role.comesBack === undefined ? {} : { comesBack: role.comesBack }),
  };
}

/**
 * `min` to `max` audio or video files, each with its settings in the option of the same name; see InputRole.itemKey.
 */
export function mediaTracks(role: { min: number; max: number; needs?: MediaNeed; title?: string }): FileList {
  return { ...mediaFiles(role), itemKey: 'file_id' };
}

/** One text file, up to the size limit of its format. Default: TXT, SRT or VTT. */
export function textFile<const Optional extends boolean = false>(
  role: { title?: string; extensions?: readonly TextFormat[]; optional?: Optional } = {},
): OneFile<Optional> {
  const { title = 'Text file', extensions = ['txt', 'srt', 'vtt'], optional = false as Optional } = role;
  const maxBytes = Math.max(...extensions.map((extension) => textFormats[extension].maxBytes));
  return oneFile(optional, { kind: 'text', title, needs: 'any', extensions, maxBytes });
}

/** One picture that becomes a cover; optional. */
export function coverFile(title = 'Picture that becomes the cover, JPEG or PNG'): OptionalFile {
  const extensions = Object.values(pictureFormats).flatMap(({ extensions: names }) => names);
  return oneFile(true, { kind: 'picture', title, needs: 'any', extensions, maxBytes: largestCoverBytes });
}

/** The short name of an input: file_id -> file, video_file_id -> video, file_ids -> files. */
export function inputName(field: string): string {
  if (field === 'file_id') return 'file';
  if (field === 'file_ids') return 'files';
  return field.replace(/_file_ids?$/, (suffix) => (suffix.endsWith('s') ? 's' : ''));
}
