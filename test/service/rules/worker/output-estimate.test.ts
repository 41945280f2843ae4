import { describe, expect, it } from 'vitest';
import {
  createDiskRoom,
  estimateOutputBytes,
  estimateWorkBytes,
} from '../../../../src/service/rules/worker/output-estimate.ts';
import { indexTools } from '../../../../src/service/rules/tools/tool-facts.ts';
import { offeredTools } from '../../../../src/service/offers/offers.ts';

const media = (sampleRate: number, channels: number) => ({
  codec: 'flac',
  sampleRate,
  channels,
  width: null,
  height: null,
});
const sound = { durationSeconds: 1600, media: media(44_100, 2), hasVideo: false, sizeBytes: 67_000 };
const job = { tool: 'convert_audio', options: { format: 'wav' }, windowSeconds: null } as const;
const { convert_audio: convert, transcribe_audio: transcribe } = indexTools(offeredTools);

describe('what a job may write', () => {
  it('goes by the length of the sound, not by the size of the file', () => {
    // As 24 bits of 48 kHz: 461 MB.
    expect(estimateOutputBytes(convert, job, [sound])).toBeGreaterThan(1600 * 48_000 * 2 * 3);
    expect(estimateOutputBytes(convert, { ...job, windowSeconds: 60 }, [sound])).toBeLessThan(60e6);
    expect(estimateOutputBytes(convert, job, [sound, sound])).toBeGreaterThan(
      1.9 * estimateOutputBytes(convert, job, [sound]),
    );
    const wide = { ...sound, media: media(192_000, 8) };
    expect(estimateOutputBytes(convert, job, [wide])).toBeGreaterThan(1600 * 192_000 * 8 * 4);
  });

  it('is little for lossy formats and texts, while what is set aside is PCM all the same', () => {
    const lossy = { ...job, options: { format: 'mp3' } };
    expect(estimateOutputBytes(convert, lossy, [sound])).toBeLessThan(150e6);
    expect(estimateWorkBytes(lossy, [sound])).toBe(estimateOutputBytes(convert, job, [sound]));
    expect(estimateOutputBytes(transcribe, job, [sound])).toBeLessThan(40e6);
    const video = { ...sound, hasVideo: true, sizeBytes: 1e9 };
    expect(estimateOutputBytes(convert, lossy, [video])).toBeGreaterThan(2e9);
  });

  it('grows with the picture where all of it is encoded again, however small the video is', () => {
    const film = { ...sound, hasVideo: true, sizeBytes: 1e6, media: { ...sound.media, width: 1920, height: 1080 } };
    const more = (tool: 'burn_captions' | 'cut_audio'): number =>
      estimateOutputBytes({}, { ...job, tool }, [film]) - estimateOutputBytes({}, { ...job, tool }, [sound]);
    // 8.3 megabits a second.
    expect(more('burn_captions')).toBeGreaterThan(1600 * 1e6);
    expect(more('cut_audio')).toBeLessThan(3e6);
  });
});

describe('room on the disk', () => {
  it('is held once: two who ask at the same time do not both get the last of it', async () => {
    const room = createDiskRoom('/', () => Promise.resolve(1e9));
    const [one, other] = await Promise.all([room.reserve(500e6), room.reserve(500e6)]);
    const got = [one, other].filter((each) => each !== null);
    expect(got).toHaveLength(1);
    got[0]?.();
    got[0]?.();
    const again = await room.reserve(700e6);
    expect(again).not.toBeNull();
    expect(await room.reserve(100e6)).toBeNull();
  });
});
