// Bodies of POST /api/v1/jobs for every tool: with what is required, and with the options that depend on each other.
const [a, b] = ['file_Aa0', 'file_Bb1'];
const key = { idempotency_key: 'k1' };

export const bodies: readonly Readonly<Record<string, unknown> & { readonly tool: string }>[] = [
  { tool: 'remove_noise', file_id: a, ...key },
  { tool: 'remove_noise', file_id: a, noise_reduction: 40, auto_volume: false, output_format: 'wav', ...key },
  { tool: 'enhance_voice', file_id: a, noise_reduction: 60, max_credits: 5, free: false, ...key },
  { tool: 'transcribe_audio', file_id: a, language: 'de', verbatim: false, speaker_labels: false, ...key },
  { tool: 'align_script', file_id: a, text: 'Good morning.', ...key },
  { tool: 'align_script', file_id: a, script_file_id: b, ...key },
  { tool: 'burn_captions', file_id: a, captions_file_id: b, caption_profile: 'shorts', ...key },
  {
    tool: 'cut_audio',
    file_id: a,
    ranges: [
      [0, 1.5],
      [3, 4],
    ],
    mode: 'keep',
    output: 'separate',
    crossfade_ms: 0,
    ...key,
  },
  { tool: 'remove_silence', file_id: a, min_pause_seconds: 1.5, keep_seconds: 0, ...key },
  { tool: 'adjust_loudness', file_id: a, target: 'audiobook', ...key },
  { tool: 'adjust_loudness', file_id: a, target: 'custom', custom_lufs: -19.5, ...key },
  {
    tool: 'convert_audio',
    file_id: a,
    format: 'opus',
    bitrate_kbps: 96,
    sample_rate: 48_000,
    channels: 'mono',
    ...key,
  },
  { tool: 'convert_audio', file_id: a, format: 'flac', ...key },
  { tool: 'join_audio', file_ids: [a, b], crossfade_ms: 250, match_loudness: false, ...key },
  { tool: 'replace_audio', video_file_id: a, audio_file_id: b, offset_seconds: -1.25, ...key },
  { tool: 'analyze_audio', file_id: a, detail: 'full' },
  { tool: 'redact_audio', file_id: a, words: ['Miller'], patterns: ['card'], mode: 'bleep', ...key },
  { tool: 'remove_fillers', file_id: a, dry_run: true, repeats: false, language: 'en', ...key },
  { tool: 'remove_fillers', file_id: a, transcript_file_id: b, cut_ids: ['c1', 'c22'], ...key },
  { tool: 'level_speakers', file_id: a, target: 'custom', custom_lufs: -20, ...key },
  { tool: 'level_speakers', track_file_ids: [a, b], target: 'streaming', ...key },
  {
    tool: 'mix_tracks',
    tracks: [{ file_id: a }, { file_id: b, role: 'music', volume_db: -6 }],
    duck: true,
    target: 'custom',
    custom_lufs: -18,
    ...key,
  },
];
