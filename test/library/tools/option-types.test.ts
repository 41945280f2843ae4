// The plain interfaces of option-types.ts against the declarations they were made from, in both directions: what the
// compiler must refuse is marked as an error that is expected.
import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { Static, TSchema } from 'typebox/type';
import { describe, expect, expectTypeOf, it } from 'vitest';
import type { TranscriptSentence, TranscriptWord } from '../../../src/library/contract/transcript.ts';
import type { Engine } from '../../../src/library/runtime/engine/engine-types.ts';
import type { StandardSchemaV1 } from '@standard-schema/spec';
import type { EarshotError } from '../../../src/library/core/errors/errors.ts';
import { optionsSchema } from '../../../src/library/tools/standard-schema.ts';
import type {
  CutAudioOptions,
  LiveSentence,
  LiveWord,
  ToolOptionsById,
} from '../../../src/library/tools/option-types.ts';
import { tools } from '../../../src/library/tools/registry.ts';
import { offeredTools } from '../../../src/service/offers/offers.ts';
import type { options as adjustLoudness } from '../../../src/library/tools/adjust_loudness/options.ts';
import type { options as alignRecordings } from '../../../src/library/tools/align_recordings/options.ts';
import type { options as alignScript } from '../../../src/library/tools/align_script/options.ts';
import type { options as analyzeAudio } from '../../../src/library/tools/analyze_audio/options.ts';
import type { options as burnCaptions } from '../../../src/library/tools/burn_captions/options.ts';
import type { options as changeSpeed } from '../../../src/library/tools/change_speed/options.ts';
import type { options as checkAudio } from '../../../src/library/tools/check_audio/options.ts';
import type { options as convertAudio } from '../../../src/library/tools/convert_audio/options.ts';
import type { options as cutAudio } from '../../../src/library/tools/cut_audio/options.ts';
import type { options as enhanceVoice } from '../../../src/library/tools/enhance_voice/options.ts';
import type { options as joinAudio } from '../../../src/library/tools/join_audio/options.ts';
import type { options as labelAudio } from '../../../src/library/tools/label_audio/options.ts';
import type { options as levelSpeakers } from '../../../src/library/tools/level_speakers/options.ts';
import type { options as mixTracks } from '../../../src/library/tools/mix_tracks/options.ts';
import type { options as redactAudio } from '../../../src/library/tools/redact_audio/options.ts';
import type { options as removeFillers } from '../../../src/library/tools/remove_fillers/options.ts';
import type { options as removeNoise } from '../../../src/library/tools/remove_noise/options.ts';
import type { options as removeSilence } from '../../../src/library/tools/remove_silence/options.ts';
import type { options as replaceAudio } from '../../../src/library/tools/replace_audio/options.ts';
import type { options as transcribeAudio } from '../../../src/library/tools/transcribe_audio/options.ts';
import { slow } from '../../fixtures/rounds.ts';

interface Declared {
  readonly adjust_loudness: typeof adjustLoudness;
  readonly align_recordings: typeof alignRecordings;
  readonly align_script: typeof alignScript;
  readonly analyze_audio: typeof analyzeAudio;
  readonly burn_captions: typeof burnCaptions;
  readonly change_speed: typeof changeSpeed;
  readonly check_audio: typeof checkAudio;
  readonly convert_audio: typeof convertAudio;
  readonly cut_audio: typeof cutAudio;
  readonly enhance_voice: typeof enhanceVoice;
  readonly join_audio: typeof joinAudio;
  readonly label_audio: typeof labelAudio;
  readonly level_speakers: typeof levelSpeakers;
  readonly mix_tracks: typeof mixTracks;
  readonly redact_audio: typeof redactAudio;
  readonly remove_fillers: typeof removeFillers;
  readonly remove_noise: typeof removeNoise;
  readonly remove_silence: typeof removeSilence;
  readonly replace_audio: typeof replaceAudio;
  readonly transcribe_audio: typeof transcribeAudio;
}

/** Every field present and writable, at any depth: declarations have defaulted options as present. */
type Whole<T> = T extends object ? { -readonly [Key in keyof T]-?: Whole<Exclude<T[Key], undefined>> } : T;
type WholeById<T> = { [Id in keyof T]: Whole<T[Id]> };
type StaticById = { [Id in keyof Declared]: Declared[Id] extends TSchema ? Static<Declared[Id]> : never };

/** Names of the fields that may be left out. */
type Optional<T> = { [Key in keyof T]-?: {} extends Pick<T, Key> ? Key : never }[keyof T];

/** Never called: the compiler alone reads it. */
export async function callers(engine: Engine, input: string): Promise<void> {
  const loudness = await engine.run('adjust_loudness', input, { target: 'custom', custom_lufs: -19 });
  expectTypeOf(loudness.tool).toEqualTypeOf<'adjust_loudness'>();
  expectTypeOf(loudness.result.output.integratedLufs).toEqualTypeOf<number | null>();
  const bySlug = await engine.run('media-info', input);
  expectTypeOf(bySlug.tool).toEqualTypeOf<'analyze_audio'>();
  expectTypeOf(bySlug.result.levels.clippedSamples).toEqualTypeOf<number>();
  await engine.run('adjust_loudness', input, undefined, { outputDir: 'out' });
  await engine.run('mix', [input, input], { tracks: [{ role: 'music' }, {}] });
  const leveled = await engine.run('level_speakers', input);
  if (leveled.result.mode === 'tracks') expectTypeOf(leveled.result.tracks[0]!.role).toEqualTypeOf<string>();
  // @ts-expect-error -- no such tool
  await engine.run('adjust_loudnes', input);
  // @ts-expect-error -- no such target
  await engine.run('adjust_loudness', input, { target: 'podcasts' });
  // @ts-expect-error -- no such option
  await engine.run('adjust_loudness', input, { lufs: -16 });
  // @ts-expect-error -- another tool's option
  await engine.run('loudness', input, { noise_reduction: 50 });
  // @ts-expect-error -- a range has two ends
  await engine.run('cut_audio', input, { ranges: [[1]] });
  await engine.run('cut_audio', { file: input, by_text: 'edited.txt' });
  await engine.run('cut', { file_id: input, by_text_file_id: 'edited.txt' }, { crossfade_ms: 5 });
  await engine.stream('cut', [input, 'edited.txt']);
  // @ts-expect-error -- neither ranges nor an edited text
  await engine.run('cut_audio', input);
  // @ts-expect-error -- neither, but other options
  await engine.run('cut_audio', { file_id: input }, { mode: 'keep' });
  // @ts-expect-error -- neither, of samples
  await engine.samples('cut', { samples: [new Float32Array(1)], sampleRate: 48_000 });
  // @ts-expect-error -- no text, of which the script is
  await engine.run('align_script', input);
  const run = engine.run('loudness', input);
  for await (const { progress } of run) expectTypeOf(progress).toEqualTypeOf<number>();
  expectTypeOf((await run).tool).toEqualTypeOf<'adjust_loudness'>();
  engine.on('run', (event) => {
    if (event.state === 'failed') expectTypeOf(event.error).toEqualTypeOf<EarshotError>();
    // @ts-expect-error -- only a failed run has an error
    void event.error;
  });
  // @ts-expect-error -- no such event
  engine.on('runs', () => undefined);
  expectTypeOf(optionsSchema('cut')).toEqualTypeOf<StandardSchemaV1<CutAudioOptions>>();
  // @ts-expect-error -- another tool's result
  void loudness.result.silences;
}

describe('the interfaces of options', () => {
  it('are those of the declarations', () => {
    expectTypeOf<WholeById<ToolOptionsById>>().toEqualTypeOf<WholeById<StaticById>>();
    expectTypeOf<Whole<LiveWord>>().toEqualTypeOf<Whole<TranscriptWord>>();
    expectTypeOf<Whole<LiveSentence>>().toEqualTypeOf<Whole<TranscriptSentence>>();
    expectTypeOf<Optional<LiveWord>>().toEqualTypeOf<Optional<TranscriptWord>>();
  });

  it('leave out what may be left out', () => {
    type Required = {
      [Id in keyof ToolOptionsById]: Exclude<keyof ToolOptionsById[Id], Optional<ToolOptionsById[Id]>>;
    };
    expectTypeOf<Required[keyof Required]>().toEqualTypeOf<never>();
    const required = tools.flatMap(({ options }) => options.required ?? []);
    expect(required).toEqual([]);
    // Only the interface demands them: here an edited text is another way.
    expect(offeredTools.flatMap(({ options }) => options.required ?? [])).toEqual(['ranges']);
  });

  it.each(['write-lists.ts', 'write-option-types.ts', 'write-result-schemas.ts'])(
    'were made of the declarations of today: %s',
    slow,
    (name) => {
      const script = fileURLToPath(new URL(`../../../scripts/${name}`, import.meta.url));
      expect(() => execFileSync(process.execPath, [script, '--check'], { stdio: 'pipe' })).not.toThrow();
    },
  );
});

describe('every option says what it is', () => {
  const all = tools.flatMap(({ id, options }) =>
    Object.entries(options.properties ?? {}).map(([name, schema]) => [id, name, schema] as const),
  );

  it.each(all)('%s %s', (_id, name, schema) => {
    expect(schema.description).toMatch(/\w{3}/);
    const isNumber = schema.type === 'number' || schema.type === 'integer' || typeof schema.enum?.[0] === 'number';
    if (!isNumber) return;
    expect(`${name} ${schema.description}`).toMatch(/_(seconds|ms|db|lufs|kbps)\b|\bpercent\b|\bHz\b|\bhow many\b/i);
    if (schema.enum === undefined) {
      expect(schema.minimum).toBeTypeOf('number');
      expect(schema.maximum).toBeTypeOf('number');
    }
  });
});
