// The chains that come with Earshot. Each is data made of its files' number and of options of its own.
import { chainFile, chainFiles } from '../../contract/chain-calls.ts';
import { customLufsRange } from '../../contract/loudness-target.ts';
import { captionProfiles } from '../../contract/text-files.ts';
import { shownName, whatWasMeant } from '../../core/checks/names.ts';
import { badValue } from '../../core/checks/schema.ts';
import { EarshotError } from '../../core/errors/errors.ts';
import { readChapterMarks } from '../../tools/chapter-marks.ts';
import type { Chain, ChainStep } from './chain.ts';

/** An option of a recipe, for help and forms. */
export interface RecipeOption {
  /** In a few words, for help. */
  readonly description: string;
  /** Of a choice; null: yes or no; an empty list: any text, '' for none. */
  readonly choices: readonly string[] | null;
  /** true: a choice for each file, separated by commas; one alone counts for all. Default: one for all files. */
  readonly perFile?: boolean;
  /** A number between these will do as well as a choice. Default: none does. */
  readonly range?: {
    /** Smallest number, in the option's unit: LUFS of `target`. */
    readonly minimum: number;
    /** Largest number, in the same unit, at least `minimum`. */
    readonly maximum: number;
  };
  /** true: a command takes a file with the text, too. */
  readonly orFile?: boolean;
  /** What happens without it, where its default is yes. */
  readonly off?: string;
  /** What counts where it is not given. */
  readonly default: string | boolean;
}

/** A chain that comes with Earshot. */
export interface Recipe {
  /** By which it is run: "podcast". */
  readonly name: string;
  /** Its purpose in one short sentence without a full stop. */
  readonly summary: string;
  /** One or two sentences for users. */
  readonly description: string;
  readonly files: {
    /** What they are, for help. */
    readonly title: string;
    /** Least count, 1 or more. */
    readonly min: number;
    /** Largest count, at least `min`. */
    readonly max: number;
  };
  /** Choices of its own, by name in lower case: `target`. */
  readonly options: Readonly<Record<string, RecipeOption>>;
  /** A picture that may come behind its files: its role there, and words for help. Default: none. */
  readonly picture?: {
    /** Among `roles`, and the name of its flag: "cover". */
    readonly role: string;
    /** In a few words, for help. */
    readonly description: string;
  };
  /** Extension of the sound that it makes; null: as the first file. */
  readonly format: string | null;
  /**
   * Its steps.
   * @param files how many there are
   * @param options of each its value
   */
  chain(files: number, options: Readonly<Record<string, string | number | boolean>>): Chain;
}

const defineRecipe = (recipe: Recipe): Recipe => Object.freeze(recipe);

/** Of a text. */
const longestText = 20_000;
const text = (description: string): RecipeOption => ({ description, choices: [], default: '' });

const yes = (description: string, off: string): RecipeOption => ({ description, off, choices: null, default: true });

/** @throws EarshotError bad_request where no file is a voice, or a cover is not the last of them */
function requireRoles(roles: readonly string[]): void {
  const cover = roles.indexOf('cover');
  if (cover >= 0 && cover !== roles.length - 1)
    throw badValue('roles', 'cover only for the last file', roles.join(','));
  if (roles.includes('voice')) return;
  throw new EarshotError('bad_request', 'Expected a voice among the roles but received none', {
    nextAction: 'Mix music and effects with mix_tracks.',
    details: { field: 'roles', expected: 'voice', received: roles.join(',') },
  });
}

const podcast = defineRecipe({
  name: 'podcast',
  summary: 'Make an episode with its transcript of one recording or a track for each speaker',
  description:
    'Removes the noise, brings speakers to one loudness, shortens long pauses, brings the whole to a loudness ' +
    'target, and writes down what is said in the episode, with its speakers. Several files are tracks that begin at ' +
    'the same time; music among them is lowered under the voices. A picture behind them becomes the cover.',
  files: { title: 'One recording, or a track for each speaker', min: 1, max: 10 },
  picture: { role: 'cover', description: 'JPEG or PNG that becomes the cover' },
  options: {
    roles: {
      description: 'Of each file, separated by commas: voice, music or effects; the last may be a cover',
      choices: ['voice', 'music', 'effects', 'cover'],
      perFile: true,
      default: 'voice',
    },
    target: {
      description: 'Loudness: podcast -16 LUFS, streaming -14, broadcast -23, or LUFS of your own: -19',
      choices: ['podcast', 'streaming', 'broadcast'],
      range: customLufsRange,
      default: 'podcast',
    },
    shorten: yes('Shorten long pauses', 'Leave pauses as they are'),
    transcript: yes('Write a transcript of the episode', 'Write no transcript'),
    title: text('Title of the episode'),
    show: text('Name of the show'),
    chapters: { ...text('Times and titles in lines, "0:00 Intro"; times of the recordings'), orFile: true },
    tracks: {
      description: 'Keep the cleaned voices too, each as long as its track',
      choices: null,
      default: false,
    },
  },
  format: null,
  chain(files, { roles: given, target, shorten, transcript, tracks, title, show, chapters }) {
    const all = files === 1 ? ['voice'] : eachOf(files, given);
    requireRoles(all);
    const roles = all.filter((role) => role !== 'cover');
    const cover = roles.length === all.length ? null : chainFile(files);
    const of = (wanted: (role: string) => boolean): number[] =>
      roles.flatMap((role, at) => (wanted(role) ? [at + 1] : []));
    const others = of((role) => role !== 'voice');
    const voices = others.length === 0 && cover === null ? chainFiles : of((role) => role === 'voice').map(chainFile);
    // In the order of the mix: voices, then the others as they were recorded.
    const mixed = [...roles.filter((role) => role === 'voice'), ...roles.filter((role) => role !== 'voice')];
    const lufs = Number(target);
    const loudness = Number.isNaN(lufs) ? { target } : { target: 'custom', custom_lufs: lufs };
    const noise: ChainStep = {
      tool: 'remove_noise',
      name: 'clean',
      options: { auto_volume: false },
      ...(tracks ? { keep: true } : {}),
    };
    // Bleed is told from a voice by levels, which noise suppression changes: tracks are levelled first.
    const clean: ChainStep[] =
      roles.length === 1
        ? [{ ...noise, ...(cover === null ? {} : { input: voices }) }, { tool: 'level_speakers' }]
        : [
            { tool: 'level_speakers', input: voices },
            noise,
            {
              tool: 'mix_tracks',
              name: 'mix',
              input: ['clean', ...others.map(chainFile)],
              options: { tracks: mixed.map((role) => ({ role })), duck: roles.includes('music'), ...loudness },
            },
          ];
    // Cleaning costs words: where nothing is cut, what was recorded is written down, which has the same times.
    const heard = shorten ? 'shorten' : roles.length === 1 ? voices : 'mix';
    return {
      name: 'podcast',
      steps: [
        ...clean,
        ...labelStep({ title, album: show }, chapters, cover, roles.length === 1 ? 'level-speakers' : 'mix'),
        ...(shorten ? [{ tool: 'remove_silence', name: 'shorten' }] : []),
        { tool: 'adjust_loudness', name: 'episode', options: loudness },
        ...(transcript ? [{ tool: 'transcribe_audio', name: 'transcript', input: heard }] : []),
      ],
    };
  },
});

/** Where nothing has been cut: the clock is that of the recordings, and what is cut later moves the chapters. */
function labelStep(
  tags: Readonly<Record<string, string | number | boolean | undefined>>,
  chapters: unknown,
  cover: string | null,
  sound: string,
): ChainStep[] {
  const marks = typeof chapters === 'string' && chapters !== '' ? readChapterMarks(chapters, 'chapters') : null;
  const options = {
    ...Object.fromEntries(Object.entries(tags).filter(([, value]) => value !== '')),
    ...(marks === null
      ? {}
      : { chapters: marks.map(({ startSeconds, title }) => ({ start_seconds: startSeconds, title })) }),
  };
  const input = cover === null ? {} : { input: { file_id: sound, cover_file_id: cover } };
  if (Object.keys(options).length === 0 && cover === null) return [];
  return [{ tool: 'label_audio', name: 'label', ...input, options }];
}

const audiobook = defineRecipe({
  name: 'audiobook',
  summary: 'Make a chapter of an audiobook that passes the checks of ACX',
  description: 'Removes the noise and brings level, peaks and noise floor within the limits of ACX; writes MP3.',
  files: { title: 'The recording of a chapter', min: 1, max: 1 },
  options: {},
  format: 'mp3',
  chain: () => ({
    name: 'audiobook',
    steps: [
      { tool: 'remove_noise', options: { auto_volume: false } },
      { tool: 'adjust_loudness', options: { target: 'audiobook' } },
    ],
  }),
});

const noBurning = 'none';

const subtitles = defineRecipe({
  name: 'subtitles',
  summary: 'Write a transcript and captions of several kinds',
  description:
    'Writes down what is said as text, JSON and captions (SRT, WebVTT), with speakers; draws them into a video.',
  files: { title: 'A recording or video', min: 1, max: 1 },
  options: {
    sounds: { description: 'Also say what else is heard: music, applause, animals', choices: null, default: false },
    burn: {
      description: 'Also draw captions into the picture of the video, in these looks; shorts: a few words at a time',
      choices: [noBurning, ...captionProfiles],
      default: noBurning,
    },
  },
  format: null,
  chain: (_, { sounds, burn }) => ({
    name: 'subtitles',
    steps: [
      { tool: 'transcribe_audio', name: 'transcript', keep: burn !== noBurning, options: { sound_events: sounds } },
      ...(burn === noBurning
        ? []
        : [
            {
              tool: 'burn_captions',
              name: 'film',
              input: { file_id: chainFiles, captions_file_id: 'transcript' },
              options: { caption_profile: burn },
            },
          ]),
    ],
  }),
});

/** In the order of help. */
export const recipes: readonly Recipe[] = [podcast, audiobook, subtitles];

/** The recipe of this name, or undefined. */
export const findRecipe = (name: string): Recipe | undefined => recipes.find((recipe) => recipe.name === name);

/** The recipe of this name. @throws EarshotError bad_request, which says what may have been meant */
export function requireRecipe(name: string): Recipe {
  const recipe = findRecipe(name);
  if (recipe !== undefined) return recipe;
  const names = recipes.map((each) => each.name);
  throw new EarshotError('bad_request', `There is no recipe ${shownName(name)}; ${whatWasMeant(name, names)}`, {
    details: { field: 'recipe', received: shownName(name) },
  });
}

/** As a number, or as a text with one. */
const isInRange = ({ minimum, maximum }: NonNullable<RecipeOption['range']>, value: unknown): boolean =>
  value !== '' && ['number', 'string'].includes(typeof value) && Number(value) >= minimum && Number(value) <= maximum;

const isChoice = (choices: readonly string[] | null, value: unknown): boolean => {
  if (choices?.length === 0) return typeof value === 'string' && value.length <= longestText;
  return choices === null ? typeof value === 'boolean' : choices.some((choice) => choice === value);
};

/** What counts for each of the files. */
function eachOf(files: number, given: unknown): readonly string[] {
  const values = String(given).split(',');
  return values.length === 1 ? Array.from({ length: files }, () => String(values[0])) : values;
}

const fitsEach = (choices: readonly string[], files: number, value: unknown): boolean =>
  typeof value === 'string' &&
  [1, files].includes(value.split(',').length) &&
  value.split(',').every((each) => isChoice(choices, each));

/**
 * The steps of a recipe.
 * @param count of its files
 * @param given values of its options; the others have their defaults
 * @param field of the files, for errors
 * @throws EarshotError bad_request for a number of files, an option or a value that it does not take
 */
export function recipeChain(
  { name, files: { min, max: mostRecordings, title }, picture, options, chain }: Recipe,
  count: number,
  given: Readonly<Record<string, unknown>>,
  field: string,
): Chain {
  const hasPicture = picture !== undefined && String(given['roles']).split(',').includes(picture.role);
  const max = mostRecordings + (hasPicture ? 1 : 0);
  if (count < min || count > max) {
    const expected = min === max ? `${min} file` : `${min} to ${max} files`;
    throw new EarshotError('bad_request', `Expected ${expected} for ${name} (${title}) but received ${count}`, {
      details: { field, expected, received: String(count) },
    });
  }
  for (const [option, value] of Object.entries(given)) {
    const known = Object.hasOwn(options, option) ? options[option] : undefined;
    if (known === undefined)
      throw new EarshotError(
        'bad_request',
        `${name} has no option ${shownName(option)}; ${whatWasMeant(option, Object.keys(options))}`,
        { details: { field: 'options', received: shownName(option) } },
      );
    const { choices, range, perFile = false } = known;
    if (range !== undefined && isInRange(range, value)) continue;
    if (perFile ? !fitsEach(choices ?? [], count, value) : !isChoice(choices, value))
      throw badValue(
        option,
        choices === null
          ? 'true or false'
          : choices.length === 0
            ? `text of at most ${longestText} characters`
            : `${perFile ? `${count === 1 ? 'one' : `${count}, separated by commas,`} ` : 'one '}of ${choices.join(', ')}` +
              (range === undefined ? '' : `, or a number between ${range.minimum} and ${range.maximum}`),
        value,
      );
  }
  const chosen = Object.entries(options).map(([option, known]) => [option, given[option] ?? known.default]);
  return chain(count, Object.fromEntries(chosen) as Readonly<Record<string, string | number | boolean>>);
}
