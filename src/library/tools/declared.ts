// Made by scripts/write-lists.ts from the tools: `npm run types:write`.

import { adjustLoudness } from './adjust_loudness/tool.ts';
import { alignRecordings } from './align_recordings/tool.ts';
import { alignScript } from './align_script/tool.ts';
import { analyzeAudio } from './analyze_audio/tool.ts';
import { burnCaptions } from './burn_captions/tool.ts';
import { changeSpeed } from './change_speed/tool.ts';
import { checkAudio } from './check_audio/tool.ts';
import { convertAudio } from './convert_audio/tool.ts';
import { cutAudio } from './cut_audio/tool.ts';
import { enhanceVoice } from './enhance_voice/tool.ts';
import { joinAudio } from './join_audio/tool.ts';
import { labelAudio } from './label_audio/tool.ts';
import { levelSpeakers } from './level_speakers/tool.ts';
import { mixTracks } from './mix_tracks/tool.ts';
import { redactAudio } from './redact_audio/tool.ts';
import { removeFillers } from './remove_fillers/tool.ts';
import { removeNoise } from './remove_noise/tool.ts';
import { removeSilence } from './remove_silence/tool.ts';
import { replaceAudio } from './replace_audio/tool.ts';
import { transcribeAudio } from './transcribe_audio/tool.ts';

/** Every tool, in the order in which people see them. */
export const declared = {
  analyze_audio: analyzeAudio,
  adjust_loudness: adjustLoudness,
  convert_audio: convertAudio,
  cut_audio: cutAudio,
  remove_silence: removeSilence,
  join_audio: joinAudio,
  replace_audio: replaceAudio,
  level_speakers: levelSpeakers,
  mix_tracks: mixTracks,
  remove_noise: removeNoise,
  enhance_voice: enhanceVoice,
  transcribe_audio: transcribeAudio,
  align_script: alignScript,
  remove_fillers: removeFillers,
  check_audio: checkAudio,
  align_recordings: alignRecordings,
  burn_captions: burnCaptions,
  redact_audio: redactAudio,
  change_speed: changeSpeed,
  label_audio: labelAudio,
};
