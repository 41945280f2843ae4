/** Every transcript is written in each of them. */
export const formats = ['json', 'srt', 'vtt', 'txt'] as const;
