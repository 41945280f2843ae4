import { join } from 'node:path';
import type { Warning } from '../../core/progress/progress.ts';
import { type ChannelGroups, meterChannelGroups } from '../../dsp/denoise/channel-groups.ts';
import { denoiseStages } from '../../dsp/denoise/denoise-stages.ts';
import type { NoiseEngine } from '../../dsp/denoise/engines.ts';
import { type Damage, meterDamage } from '../../dsp/repair/damage.ts';
import { type ChannelLevels, meterChannelLevels } from '../../dsp/denoise/level/channel-levels.ts';
import type { Listener } from '../../dsp/listener/listener.ts';
import { createPassageReport } from '../../dsp/denoise/passages/passage-report.ts';
import type { FanOut } from '../../core/machine/fan-out.ts';
import { meterLoudness } from '../../dsp/loudness/loudness-meter.ts';
import { findSpeech, type SpeechActivity } from '../../dsp/voicing/speech-activity.ts';
import { meterSpeechLevels, type SpeechLevels } from '../../dsp/voicing/speech-levels.ts';
import { meterGroups } from '../../dsp/voice/channels.ts';
import { planVoice, type VoicePlan } from '../../dsp/voice/plan.ts';
import { listenInPauses } from '../../dsp/voice/music-behind.ts';
import { findPresence, type VoicePresence } from '../../dsp/voice/presence.ts';
import { type Doubt, voiceInDoubt } from '../../dsp/voice/voice-in-doubt.ts';
import { meterRoom } from '../../dsp/voice/room.ts';
import { meterSpeechProfile } from '../../dsp/voice/speech-profile.ts';
import { voiceRate } from '../../dsp/voice/spectral-stage.ts';
import { openAudio } from '../../media/read/decode.ts';
import { discard, drive, type PassOptions } from '../../media/read/drive.ts';
import type { OpenedSource } from '../../edit/at-loudness.ts';
import type { MediaFacts } from '../../media/facts.ts';
import type { AudioFormat } from '../../pcm/block.ts';
import { createSpool, type Spool } from '../../pcm/spool.ts';

export interface Recording {
  /** Opens it at 48 kHz, repaired. The caller closes it. */
  readonly open: () => OpenedSource;
  readonly facts: MediaFacts;
  readonly format: AudioFormat;
  /** Counted while decoding. */
  readonly frames: number;
  readonly groups: ChannelGroups;
  /** null for silence. */
  readonly integratedLufs: number | null;
  readonly levels: SpeechLevels;
  readonly channelLevels: ChannelLevels;
  readonly warnings: readonly Warning[];
  readonly damage: Damage;
}

/** Reads a file once: groups of channels, loudness, damage. */
export async function inspect(facts: MediaFacts, options: PassOptions): Promise<Recording> {
  const source = openAudio(facts);
  try {
    const [groups, loudness, levels] = [meterChannelGroups(), meterLoudness(), meterSpeechLevels({ peaks: false })];
    const channelLevels = meterChannelLevels();
    const damage = meterDamage();
    const frames = await drive(source, [groups, loudness, levels, channelLevels, damage], discard, options);
    return {
      open: () => openAudio(facts, { rate: voiceRate }),
      damage: damage.result(),
      facts,
      format: source.format,
      frames,
      groups: groups.result(),
      integratedLufs: loudness.result().integratedLufs,
      levels: levels.result(),
      channelLevels: channelLevels.result(),
      warnings: source.warnings,
    };
  } finally {
    source.close();
  }
}

export interface Prepared {
  /** The recording without its noise, at 48 kHz. */
  readonly clean: Spool;
  readonly presence: VoicePresence;
  /** What was left unchanged, and why. */
  readonly warnings: readonly Warning[];
  /** The plan for each group of channels. */
  readonly plans: readonly VoicePlan[];
  /** What to do with the recording when no voice was found. */
  readonly doubt: Doubt;
}

export interface PrepareOptions extends PassOptions {
  readonly engine: NoiseEngine;
  readonly listener: Listener | null;
  readonly fanOut: FanOut;
  readonly workDir: string;
}

/** Reads the recording again. @returns 1 for each second with music behind the voice */
async function musicInPauses(
  { open, frames, format }: Recording,
  activity: SpeechActivity,
  musicSeconds: readonly number[],
  { listener, signal }: PrepareOptions,
): Promise<Uint8Array> {
  if (listener === null || !activity.speech.includes(1)) return new Uint8Array();
  const pauses = listenInPauses(listener, activity, musicSeconds);
  const source = open();
  try {
    const expectedFrames = (frames / format.sampleRate) * voiceRate;
    await drive(source, [pauses], discard, { signal, onProgress: () => undefined, expectedFrames });
    return pauses.result();
  } finally {
    source.close();
  }
}

/** Removes the noise into a file on disk, and measures what the voice lacks. The caller removes the spool. */
export async function prepare(recording: Recording, options: PrepareOptions): Promise<Prepared> {
  const { workDir, signal, onProgress } = options;
  const { format, frames, groups } = recording;
  const seconds = frames / format.sampleRate;
  const source = recording.open();
  const clean = createSpool(join(workDir, 'clean.f32'), source.format);
  try {
    const rooms = meterGroups(groups.groups, meterRoom);
    const profiles = meterGroups(groups.groups, meterSpeechProfile);
    const levels = meterSpeechLevels({ peaks: false });
    const report = createPassageReport(groups.groups.length);
    const denoise = denoiseStages({ ...options, groups, levels: recording.channelLevels, report, seconds });
    const stages = [rooms, ...denoise, levels, profiles];
    await drive(source, stages, clean.write, { signal, onProgress, expectedFrames: seconds * voiceRate });
    const left = levels.result();
    const activity = findSpeech(left);
    const musicSeconds = report.musicSeconds();
    const musicBehind = await musicInPauses(recording, activity, musicSeconds, options);
    const presence = findPresence({
      original: recording.levels,
      cleanEnergy: left.energy,
      clean: activity,
      musicSeconds,
      musicBehind,
    });
    const heard = rooms.result();
    const plans = profiles
      .result()
      .map((profile, group) =>
        planVoice(profile, heard[group] ?? { t60Seconds: 0, earlyDropDb: 0, offsets: 0 }, presence.snrDb),
      );
    const { levels: before, integratedLufs } = recording;
    const doubt = voiceInDoubt({ before, after: left, report, musicBehind, integratedLufs });
    return { clean, presence, plans, doubt, warnings: report.warnings() };
  } catch (error) {
    clean.remove();
    throw error;
  } finally {
    source.close();
  }
}
