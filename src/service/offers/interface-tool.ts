// What of a tool the service shows. The interface refuses fields that it does not name, so what the library and the
// command line have beyond it is taken away here, in one place.
import type { ToolId } from '../../library/contract/tool-ids.ts';
import type { InputRole } from '../../library/contract/tool-inputs.ts';
import { createOptionsParser, type OptionSchema, type OptionsSource } from '../../library/core/checks/schema.ts';
import type { AnyTool } from '../../library/tools/declare/define.ts';
import type { FieldRules } from '../../library/tools/declare/refusals.ts';
import { passageName } from '../../library/contract/passage-order.ts';
import { hasPassage, passageOption } from '../../library/tools/declare/passage-option.ts';
import { soundTrackName, soundTrackOption } from '../../library/tools/declare/sound-track.ts';

/** How the interface has a tool. */
export interface Interface {
  /** Inputs and options that only the library and the command line have. */
  readonly localFields: readonly string[];
  /** By option: keywords of the schema that are narrower in the interface. */
  readonly bounds: Readonly<Record<string, Readonly<Record<string, number>>>>;
  /** Fields of the REST body that the interface does not show; see open-points. */
  readonly openPoints: readonly string[];
  /** Does the REST body take idempotency_key, max_credits and free? */
  readonly jobFields: boolean;
}

/** Of a tool that is not named below. */
const usual: Interface = { localFields: [], bounds: {}, openPoints: [], jobFields: true };

const special: Readonly<Partial<Record<ToolId, Partial<Interface>>>> = {
  // A gain is for who has measured: an album is measured by the library and the command line. Fades are not in the
  // contract.
  adjust_loudness: { localFields: ['gain_db', 'fade_in_seconds', 'fade_out_seconds', 'fade_curve'] },
  align_recordings: {
    openPoints: ['file_ids', 'find_only', 'reference', 'ends', 'correct_drift', 'output_format'],
  },
  analyze_audio: { jobFields: false },
  // Fonts are the machine's: what it has callers cannot know.
  burn_captions: { localFields: ['font'] },
  change_speed: { openPoints: ['speed', 'output_format'] },
  check_audio: { jobFields: false },
  convert_audio: { openPoints: ['fit_peaks', 'fix_phase'] },
  // What is cut by the words of an hour has more ranges. The contract requires `ranges`, which a text would replace.
  cut_audio: {
    localFields: ['by_text_file_id', 'transcript_file_id'],
    bounds: { ranges: { maxItems: 100 } },
    openPoints: ['order', 'keep_encoding'],
  },
  join_audio: { openPoints: ['title_chapters', 'keep_encoding'] },
  label_audio: { openPoints: ['title', 'artist', 'album', 'date', 'genre', 'comment', 'chapters'] },
  level_speakers: { openPoints: ['output_format'] },
  mix_tracks: { openPoints: ['tracks', 'duck', 'target', 'custom_lufs', 'output_format'] },
  redact_audio: {
    openPoints: [
      'file_id',
      'transcript_file_id',
      'plan_file_id',
      'captions_file_id',
      'words',
      'match',
      'patterns',
      'speaker_numbers',
      'ranges',
      'mode',
      'guard_ms',
      'find_only',
      'language',
    ],
  },
  remove_fillers: { openPoints: ['fillers', 'breaths', 'mouth_clicks', 'coughs', 'stutters', 'keep_encoding'] },
  remove_noise: { openPoints: ['method', 'voice_db', 'room_db', 'music_db'] },
  remove_silence: { openPoints: ['keep_encoding'] },
  transcribe_audio: {
    openPoints: [
      'voices',
      'translate',
      'vocabulary',
      'speakers',
      'min_speakers',
      'max_speakers',
      'speaker_channels',
      'captions',
      'caption_profile',
      'karaoke',
      'sound_events',
    ],
  },
};

export const interfaceOf = (id: ToolId): Interface => ({ ...usual, ...special[id] });

/**
 * The tool as the interface has it: without local fields, within its bounds, with a choice of the sound track and of a
 * passage; a field that only local ones could replace is required.
 */
export function interfaceTool(tool: AnyTool): AnyTool & Pick<Interface, 'openPoints' | 'jobFields'> {
  const { localFields, bounds, openPoints, jobFields } = interfaceOf(tool.id);
  const more = {
    [soundTrackName]: soundTrackOption,
    ...(hasPassage(tool) ? { [passageName]: passageOption } : {}),
  };
  return {
    // The contract has a closed list of fields for the tool without job fields.
    ...shownTool(tool, new Set(localFields), bounds, jobFields ? more : {}),
    openPoints: jobFields ? [...openPoints, ...Object.keys(more)] : openPoints,
    jobFields,
  };
}

function shownTool(
  tool: AnyTool,
  local: ReadonlySet<string>,
  bounds: Interface['bounds'],
  more: Readonly<Record<string, OptionSchema>>,
): AnyTool {
  const shownOf = <Value>(fields: Readonly<Record<string, Value>>): Record<string, Value> =>
    Object.fromEntries(Object.entries(fields).filter(([name]) => !local.has(name)));
  const choices = (tool.fieldRules.exactlyOne ?? []).map((fields) => fields.filter((name) => !local.has(name)));
  const required = choices.flatMap(([only, ...others]) => (only !== undefined && others.length === 0 ? [only] : []));
  const inputs = Object.fromEntries(
    Object.entries(shownOf(tool.inputs)).map(([name, role]) => [name, required.includes(name) ? needed(role) : role]),
  );
  const shownIn = (schema: OptionSchema): OptionSchema => {
    const properties = Object.fromEntries(
      Object.entries(shownOf(schema.properties ?? {})).map(([name, one]) => [name, { ...one, ...bounds[name] }]),
    );
    const ofChoices = required.filter((name) => name in properties);
    return {
      ...schema,
      properties: { ...properties, ...more },
      required: [...(schema.required ?? []), ...ofChoices],
    };
  };
  const options = shownIn(tool.options);
  const parse = createOptionsParser<Readonly<Record<string, unknown>>>(tool.id, options);
  return {
    ...tool,
    inputs,
    options,
    fieldRules: rulesOf(tool.fieldRules, choices, local),
    parseOptions(given: unknown, source: OptionsSource = 'json') {
      const parsed = parse(given, source);
      tool.check?.(parsed);
      return parsed;
    },
  };
}

const needed = (role: InputRole): InputRole => ({ ...role, min: role.minGiven });

function rulesOf({ needs = {} }: FieldRules, choices: readonly (readonly string[])[], local: ReadonlySet<string>) {
  const several = choices.filter((fields) => fields.length > 1);
  const kept = Object.entries(needs).filter(([field, other]) => !local.has(field) && !local.has(other));
  return {
    ...(several.length === 0 ? {} : { exactlyOne: several }),
    ...(kept.length === 0 ? {} : { needs: Object.fromEntries(kept) }),
  };
}
