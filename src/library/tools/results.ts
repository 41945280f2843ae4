// Made by scripts/write-lists.ts from the tools: `npm run types:write`.

// What each tool answers besides files. Types only: reading them loads no tool.
import type { AdjustLoudnessResult } from './adjust_loudness/result.ts';
import type { AlignRecordingsResult } from './align_recordings/result.ts';
import type { AlignScriptResult } from './align_script/result.ts';
import type { AnalyzeAudioResult } from './analyze_audio/result.ts';
import type { BurnCaptionsResult } from './burn_captions/result.ts';
import type { ChangeSpeedResult } from './change_speed/result.ts';
import type { CheckAudioResult } from './check_audio/result.ts';
import type { ConvertAudioResult } from './convert_audio/result.ts';
import type { CutAudioResult } from './cut_audio/result.ts';
import type { EnhanceVoiceResult } from './enhance_voice/result.ts';
import type { JoinAudioResult } from './join_audio/result.ts';
import type { LabelAudioResult } from './label_audio/result.ts';
import type { LevelSpeakersResult } from './level_speakers/result.ts';
import type { MixTracksResult } from './mix_tracks/result.ts';
import type { RedactAudioResult } from './redact_audio/result.ts';
import type { RemoveFillersResult } from './remove_fillers/result.ts';
import type { RemoveNoiseResult } from './remove_noise/result.ts';
import type { RemoveSilenceResult } from './remove_silence/result.ts';
import type { ReplaceAudioResult } from './replace_audio/result.ts';
import type { TranscribeAudioResult } from './transcribe_audio/result.ts';

export type { AdjustLoudnessResult, AdjustedLoudness } from './adjust_loudness/result.ts';
export type { AlignRecordingsResult, AlignedPiece } from './align_recordings/result.ts';
export type { AlignScriptResult } from './align_script/result.ts';
export type { AcxVerdict, AnalyzeAudioResult, MediaReport, Suggestion } from './analyze_audio/result.ts';
export type { BurnCaptionsResult } from './burn_captions/result.ts';
export type { ChangeSpeedResult } from './change_speed/result.ts';
export type { Check, CheckAudioResult, Mend, Place } from './check_audio/result.ts';
export type { ConvertAudioResult } from './convert_audio/result.ts';
export type { CutAudioResult, CutByText } from './cut_audio/result.ts';
export type { EnhanceVoiceResult, FoundVoice, RepairedDamage } from './enhance_voice/result.ts';
export type { JoinAudioResult } from './join_audio/result.ts';
export type { LabelAudioResult } from './label_audio/result.ts';
export type { LevelSpeakersResult, LeveledRecording, LeveledTracks } from './level_speakers/result.ts';
export type { MixTracksResult } from './mix_tracks/result.ts';
export type { LeftPlace, RedactAudioResult, RedactedKind, RedactedPlace } from './redact_audio/result.ts';
export type { RemoveFillersResult } from './remove_fillers/result.ts';
export type { RemoveNoiseResult } from './remove_noise/result.ts';
export type { RemoveSilenceResult } from './remove_silence/result.ts';
export type { ReplaceAudioResult } from './replace_audio/result.ts';
export type { TranscribeAudioResult } from './transcribe_audio/result.ts';
export type { LoudnessFacts, RecogniserFacts, VolumeFacts } from '../contract/tool-results.ts';

/** The result of each tool, by its public id. */
export interface ToolResultById {
  readonly adjust_loudness: AdjustLoudnessResult;
  readonly align_recordings: AlignRecordingsResult;
  readonly align_script: AlignScriptResult;
  readonly analyze_audio: AnalyzeAudioResult;
  readonly burn_captions: BurnCaptionsResult;
  readonly change_speed: ChangeSpeedResult;
  readonly check_audio: CheckAudioResult;
  readonly convert_audio: ConvertAudioResult;
  readonly cut_audio: CutAudioResult;
  readonly enhance_voice: EnhanceVoiceResult;
  readonly join_audio: JoinAudioResult;
  readonly label_audio: LabelAudioResult;
  readonly level_speakers: LevelSpeakersResult;
  readonly mix_tracks: MixTracksResult;
  readonly redact_audio: RedactAudioResult;
  readonly remove_fillers: RemoveFillersResult;
  readonly remove_noise: RemoveNoiseResult;
  readonly remove_silence: RemoveSilenceResult;
  readonly replace_audio: ReplaceAudioResult;
  readonly transcribe_audio: TranscribeAudioResult;
}
