/** Integrated loudness (BS.1770-5) that names stand for, LUFS. */
const targetsLufs = { podcast: -16, streaming: -14, broadcast: -23 } as const;

/** Greatest true peak of every output with a loudness target, dBTP (EBU R 128, and what podcast platforms ask for). */
export const targetCeilingDbtp = -1;

/** The loudness to reach, LUFS. */
export function targetLufsOf(options: { readonly target: keyof typeof targetsLufs | 'custom'; readonly custom_lufs?: number }): number {
  return options.target === 'custom' ? (options.custom_lufs ?? targetsLufs.podcast) : targetsLufs[options.target];
}
