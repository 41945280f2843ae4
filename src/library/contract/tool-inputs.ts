// The files that a tool takes: how many of which type by field, and the form in which its run and its plan get them.
import { EarshotError } from '../core/errors/errors.ts';

/** What a media input must contain: audio, video, both, or either. */
export type MediaNeed = 'audio' | 'video' | 'audio+video' | 'any';

/** The files of one input field. The field's name is that of the REST body: file_id, file_ids, video_file_id. */
export interface InputRole {
  readonly kind: 'media' | 'text' | 'picture';
  /** For help and forms. */
  readonly title: string;
  /** Smallest number of files; 0 makes the input optional. */
  readonly min: number;
  /** Largest number of files. */
  readonly max: number;
  /** Smallest number of files if there are any; differs from `min` for an optional list. */
  readonly minGiven: number;
  /** Is the field a list? Decides its JSON type in the REST body. */
  readonly multiple: boolean;
  /** For media only. */
  readonly needs: MediaNeed;
  /** Of text and pictures: file name extensions without the dot. Empty for media. */
  readonly extensions: readonly string[];
  /** Of text and pictures: size of the largest file, bytes; null for media. */
  readonly maxBytes: number | null;
  /**
   * For files in a list of objects: the name of the file id in each object. The REST body then has one list under the
   * field's name, whose items hold the file id and the properties of the option of the same name: {"tracks":
   * [{"file_id": "file_1", "role": "music"}]}. Elsewhere files and settings are two lists in the same order: files as
   * the input of that name, settings as the option of that name (free API: repeated `file` and `tracks`; library:
   * run('mix_tracks', [a, b], {tracks: [{role: 'music'}, {}]})).
   */
  readonly itemKey?: string;
  /** Does each file of the list come back as a file of its own? Default: the list becomes one. */
  readonly comesBack?: boolean;
}

/** A field with one required file. */
export interface RequiredFile extends InputRole {
  readonly multiple: false;
  readonly min: 1;
}

/** A field with one optional file. */
export interface OptionalFile extends InputRole {
  readonly multiple: false;
  readonly min: 0;
}

/** A field with a list of files. */
export interface FileList extends InputRole {
  readonly multiple: true;
}

/** A tool's input fields by name, in the order of files on the command line. */
export type InputRoles = Readonly<Record<string, InputRole>>;

/** What a plan knows about one input file. The probe's facts include all of these. */
export interface InputFacts {
  /** Container, such as "wav" or "mp4". */
  readonly format: string;
  /** null for text, and for media without a stated length. */
  readonly durationSeconds: number | null;
  /** Is there an audio stream? */
  readonly hasAudio: boolean;
  /** True for moving pictures; cover art is not video. */
  readonly hasVideo: boolean;
  /** The moving picture, by FFmpeg's names; null without one. Left out where it is not known. */
  readonly video?: {
    /** Such as "hevc". */
    readonly codec: string;
    /** Such as "yuv420p10le"; null when the file does not state it. */
    readonly pixelFormat?: string | null;
    /** Are pictures stored as two fields? */
    readonly interlaced?: boolean;
  } | null;
}

/** An input as a run gets it. */
export interface InputFile {
  /** Absolute. Only the extension is the name's: the rest may be neutral. */
  readonly path: string;
  /** The file name that users know, without folder: outputs are named after it. */
  readonly name: string;
}

/** A value per file (an id, facts, a file), by input field, in order. */
export type FilesByField<File> = Readonly<Record<string, readonly File[]>>;

/** The part of a role that decides the shape; it crosses the border of a job process. */
export type InputShape = Pick<InputRole, 'min' | 'multiple'>;
export type InputShapes = Readonly<Record<string, InputShape>>;

/**
 * The same as a tool reads it: a required file is one value, an optional one may be undefined, and a list is a list,
 * empty when it was left out.
 */
export type InputsOf<Roles extends InputShapes, File> = {
  readonly [Field in keyof Roles]: Roles[Field] extends { readonly multiple: true }
    ? readonly File[]
    : Roles[Field] extends { readonly multiple: false; readonly min: 1 }
      ? File
      : Roles[Field] extends { readonly multiple: false; readonly min: 0 }
        ? File | undefined
        : File | undefined | readonly File[];
};

/** The files of a field in words: "one file", "2 to 20 files". */
export const describeCount = ({ multiple, minGiven, max }: InputRole): string =>
  multiple ? `${minGiven} to ${max} files` : 'one file';

/** A field with more or fewer files than it takes. */
export interface WrongCount {
  readonly field: string;
  /** For messages. */
  readonly expected: string;
  /** How many there are. */
  readonly count: number;
}

/**
 * The first field with more or fewer files than it takes; null: none. An optional list with too few files is the
 * plan's to refuse, which knows what else may be given.
 */
export function findWrongCount(roles: InputRoles, files: FilesByField<unknown>): WrongCount | null {
  for (const [field, role] of Object.entries(roles)) {
    const count = files[field]?.length ?? 0;
    if (count < role.min || count > role.max) return { field, expected: describeCount(role), count };
  }
  return null;
}

/**
 * Brings lists by field into the shape that a tool reads. Lengths of lists are not checked: a free run may have cut a
 * list short, and the receiver of the request has counted.
 * @throws EarshotError bad_request where one file is missing or there are several, and for an unknown field
 */
export function shapeInputs<Roles extends InputShapes, File>(
  roles: Roles,
  files: FilesByField<File>,
): InputsOf<Roles, File> {
  const shapes = Object.entries(roles);
  for (const field of Object.keys(files))
    if (!Object.hasOwn(roles, field))
      throw wrongCount(field, `one of ${shapes.map(([name]) => name).join(', ')}`, `files for ${field}`);
  return Object.fromEntries(
    shapes.map(([field, { min, multiple }]) => {
      const given = files[field] ?? [];
      if (multiple) return [field, given];
      if (given.length > 1 || given.length < min)
        throw wrongCount(field, `${min === 0 ? 'at most ' : ''}one file for ${field}`, `${given.length}`);
      return [field, given[0]];
    }),
  ) as InputsOf<Roles, File>;
}

const wrongCount = (field: string, expected: string, received: string): EarshotError =>
  new EarshotError('bad_request', `Expected ${expected} but received ${received}`, {
    details: { field, expected, received },
  });
