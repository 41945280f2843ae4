import type { Refusal } from '../../contract/tool-facts.ts';

/** Every transcript is written in each of them. */
export const formats = ['json', 'srt', 'vtt', 'txt'] as const;

interface Asked {
  readonly speaker_labels: boolean;
  readonly speakers?: number;
  readonly speaker_channels: boolean;
}

/** What is said of speakers, although none are told apart, or by other means. */
export function refuseSpeakers({ speaker_labels, speakers, speaker_channels }: Asked): Refusal[] {
  if (!speaker_labels && (speakers !== undefined || speaker_channels))
    return [
      { code: 'bad_request', message: 'Expected speaker_labels with speakers or speaker_channels but it is false' },
    ];
  if (speakers !== undefined && speaker_channels)
    return [
      {
        code: 'bad_request',
        message: 'Expected either speakers or speaker_channels but received both: channels are counted',
      },
    ];
  return [];
}
