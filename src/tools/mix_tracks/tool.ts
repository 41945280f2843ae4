import * as Type from 'typebox/type';
import type { Static } from 'typebox/type';
import { checkCustomLufs, customLufs, targetLufsOf } from '../../contract/loudness-target.ts';
import { defaulted, defineTool, mediaTracks, type Refusal, refuseUnsuitable } from '../define.ts';

const track = Type.Object(
  {
    role: defaulted(
      Type.Enum(['voice', 'music', 'effects'], {
        default: 'voice',
        description: 'What the track is; music falls under voice when duck is true',
      }),
    ),
    volume_db: defaulted(
      Type.Number({
        minimum: -60,
        maximum: 20,
        default: 0,
        description: "Gain of the track, dB, before the mix's own",
      }),
    ),
  },
  { additionalProperties: false },
);

const options = Type.Object(
  {
    tracks: Type.Optional(
      Type.Array(track, {
        minItems: 2,
        maxItems: 20,
        description: 'Settings of each track, in the order of the files. Default: every track a voice at 0 dB',
      }),
    ),
    duck: defaulted(
      Type.Boolean({ default: false, description: 'Lowers music by 12 dB while someone speaks on a voice track' }),
    ),
    target: defaulted(
      Type.Enum(['podcast', 'streaming', 'broadcast', 'custom'], {
        default: 'podcast',
        description: 'podcast -16 LUFS, streaming -14, broadcast -23, custom (custom_lufs)',
      }),
    ),
    custom_lufs: customLufs,
    output_format: defaulted(
      Type.Enum(['same', 'wav', 'mp3', 'm4a', 'flac'], {
        default: 'same',
        description: "same keeps the first track's format; a video stays a video",
      }),
    ),
  },
  { additionalProperties: false },
);

/**
 * Parsed: defaults filled in. Apart from the declaration, because run.ts needs the type and the declaration needs
 * run.ts.
 */
export type MixTracksOptions = Readonly<Static<typeof options>>;
export type TrackSetting = Readonly<Static<typeof track>>;

/** There are settings for every file or for none. */
export function refuseTracks(files: number, settings: MixTracksOptions['tracks']): Refusal | null {
  if (settings === undefined || settings.length === files) return null;
  return {
    code: 'bad_request',
    message: `Expected settings for each of the ${files} files in tracks but received ${settings.length}`,
  };
}

/** The setting of every file, in order. */
export const settingsOf = (files: number, settings: MixTracksOptions['tracks']): readonly TrackSetting[] =>
  settings ?? Array.from({ length: files }, () => ({ role: 'voice', volume_db: 0 }) as const);

export const mixTracks = defineTool({
  id: 'mix_tracks',
  slug: 'mix',
  title: 'Mix tracks',
  description:
    'Mixes voices, music and effects into one file at a loudness target, with music lowered under voice when wanted.',
  inputs: { tracks: mediaTracks({ min: 2, max: 20, title: 'Tracks, all starting at the same time' }) },
  options,
  free: { a: { seconds: 180, dailyUses: 3 }, b: { seconds: 180, dailyUses: 3 } },
  creditsPerMinute: 1,
  billing: 'longest',
  openPoints: ['tracks', 'duck', 'target', 'custom_lufs', 'output_format'],
  examples: [
    { description: 'Mix two voices to -16 LUFS', command: 'mix host.wav guest.wav' },
    {
      description: 'Put music under a voice, lowered while it speaks',
      command: `mix host.wav music.wav --duck --tracks '[{"role":"voice"},{"role":"music","volume_db":-6}]'`,
    },
  ],
  check: checkCustomLufs,
  plan(facts, parsed) {
    const files = facts['tracks'] ?? [];
    const refusal = refuseTracks(files.length, parsed.tracks);
    const goal = `${targetLufsOf(parsed)} LUFS`;
    const [first, ...others] = files;
    return {
      steps: [
        ...(parsed.duck ? ['Find speech on the voice tracks', 'Lower music by 12 dB under it'] : []),
        `Add the ${files.length} tracks, each with its own volume`,
        `Bring the sum to ${goal} and limit true peaks to -1 dBTP`,
        `Write the sound as ${parsed.output_format}`,
      ],
      notes: [
        ...(first?.hasVideo && parsed.output_format !== 'same'
          ? [`The picture is dropped: ${parsed.output_format} holds sound only`]
          : []),
        ...(others.some((file) => file.hasVideo) ? ["Only the first track's picture can be kept"] : []),
      ],
      refusals: [...(refusal ? [refusal] : []), ...refuseUnsuitable(this.inputs, facts)],
    };
  },
  run: () => import('./run.ts'),
});
