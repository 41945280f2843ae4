import { defineTool } from '../declare/define.ts';
import { writeStep } from '../declare/options.ts';
import { refuseUnsuitable } from '../declare/refusals.ts';
import { inputs, jobOptions, options } from './options.ts';

export const removeNoise = defineTool({
  id: 'remove_noise',
  slug: 'remove-noise',
  title: 'Remove noise',
  summary: 'Take background noise away',
  description:
    'Takes background noise and rumble away from speech and keeps the voice, ' +
    'its place in the stereo image and its timing.',
  inputs,
  options,
  jobOptions,
  free: { a: { seconds: 60, dailyUses: 3 }, b: { seconds: 60, dailyUses: 3 } },
  creditsPerMinute: 1,
  examples: [
    { description: 'Clean up an interview and set its loudness', command: 'remove-noise interview.wav' },
    {
      description: 'Turn the noise down by half and leave the level alone',
      command: 'remove-noise interview.wav --noise-reduction 50 --no-auto-volume',
    },
  ],
  plan(facts, options) {
    const notes =
      facts.file_id.hasVideo && options.output_format !== 'same'
        ? [`The picture is dropped: ${options.output_format} holds sound only`]
        : [];
    return {
      steps: [
        'Find out how the channels belong together',
        `Turn the noise down by ${options.noise_reduction} percent`,
        ...(options.auto_volume ? ['Apply one gain to reach -16 LUFS and limit the peaks to -1 dBTP'] : []),
        writeStep(options.output_format),
      ],
      notes,
      refusals: refuseUnsuitable(inputs, facts),
    };
  },
  run: () => import('./run.ts'),
});
