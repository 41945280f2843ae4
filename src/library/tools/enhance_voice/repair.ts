import { join } from 'node:path';
import { meterChannelGroups } from '../../dsp/denoise/channel-groups.ts';
import { meterChannelLevels } from '../../dsp/denoise/level/channel-levels.ts';
import { hasClicks, hasHum, hasPlosives, isClipped } from '../../dsp/repair/damage.ts';
import { declip } from '../../dsp/repair/declip.ts';
import { removeClicks } from '../../dsp/repair/remove-clicks.ts';
import { removeHum } from '../../dsp/repair/remove-hum.ts';
import { removePlosives } from '../../dsp/repair/remove-plosives.ts';
import { meterSpeechLevels } from '../../dsp/voicing/speech-levels.ts';
import { voiceRate } from '../../dsp/voice/spectral-stage.ts';
import { resampleTo } from '../../media/convert/format-converter.ts';
import { openAudio } from '../../media/read/decode.ts';
import { drive } from '../../media/read/drive.ts';
import { throughStages } from '../../media/read/through-stages.ts';
import type { OpenedSource } from '../../edit/at-loudness.ts';
import { exactLength } from '../../pcm/exact-length.ts';
import { createSpool, type Spool } from '../../pcm/spool.ts';
import type { Recording } from './prepare.ts';

export interface RepairOptions {
  readonly workDir: string;
  readonly signal: AbortSignal;
  /** Starts the pass, if there is one. */
  readonly pass: () => (fraction: number) => void;
}

/**
 * Repairs a damaged recording, at 48 kHz onto disk, and measures it again; later stages use the repaired sound. One
 * with clicks alone is repaired each time that it is read, and one without damage is left. The caller removes the
 * spool.
 */
export async function repair(
  recording: Recording,
  { workDir, signal, pass }: RepairOptions,
): Promise<{ readonly recording: Recording; readonly spool: Spool | null }> {
  const { damage } = recording;
  if (!isClipped(damage) && !hasHum(damage) && !hasPlosives(damage)) {
    if (!hasClicks(damage)) return { recording, spool: null };
    // Clicks change no measure of the recording, and mending them again costs less than a file.
    const open = (): OpenedSource => throughStages(recording.open(), [removeClicks(damage.bursts.clicks)]);
    return { recording: { ...recording, open }, spool: null };
  }
  const source = openAudio(recording.facts);
  const spool = createSpool(join(workDir, 'repaired.f32'), { ...source.format, sampleRate: voiceRate });
  try {
    const [groups, levels, channelLevels] = [
      meterChannelGroups(),
      meterSpeechLevels({ peaks: false }),
      meterChannelLevels(),
    ];
    const frames = Math.round((recording.frames * voiceRate) / recording.format.sampleRate);
    const plosives = removePlosives(damage.bursts.plosives);
    const stages = [
      ...(isClipped(damage) ? [declip(damage.clipping.channels)] : []),
      resampleTo(voiceRate),
      exactLength(frames),
      ...(hasHum(damage) ? [removeHum(damage.hum)] : []),
      ...(hasPlosives(damage) ? [plosives] : []),
      ...(hasClicks(damage) ? [removeClicks(damage.bursts.clicks)] : []),
      groups,
      levels,
      channelLevels,
    ];
    await drive(source, stages, spool.write, { signal, onProgress: pass(), expectedFrames: recording.frames });
    return {
      spool,
      recording: {
        ...recording,
        // Of the plosives, those that were taken out.
        damage: hasPlosives(damage) ? { ...damage, bursts: { ...damage.bursts, plosives: plosives.result() } } : damage,
        open: () => spool.read(),
        groups: groups.result(),
        levels: levels.result(),
        channelLevels: channelLevels.result(),
      },
    };
  } catch (error) {
    spool.remove();
    throw error;
  } finally {
    source.close();
  }
}
