// Chains as data: what goes into what, and what is refused, without running a tool.
import { expect, it } from 'vitest';
import { type Chain, planChain } from '../../../../src/library/runtime/chains/chain.ts';
import { recipeChain, recipes, requireRecipe } from '../../../../src/library/runtime/chains/recipes.ts';
import { EarshotError } from '../../../../src/library/core/errors/errors.ts';

const flow = (chain: Chain): string[] =>
  planChain(chain).steps.map(
    ({ name, sources, isResult }) =>
      `${name} < ${Object.entries(sources)
        .map(([field, names]) => `${field === '' ? '' : `${field} `}${names.join('+')}`)
        .join(', ')}${isResult ? ' = result' : ''}`,
  );

function refusal(chain: unknown): string {
  try {
    planChain(chain);
  } catch (thrown) {
    expect(thrown).toBeInstanceOf(EarshotError);
    expect((thrown as EarshotError).code).toBe('bad_request');
    return (thrown as EarshotError).message;
  }
  return 'accepted';
}

it('a step takes the sound of the step before, and what no step takes is a result', () => {
  const steps = [{ tool: 'remove-noise' }, { tool: 'transcribe' }, { tool: 'adjust_loudness' }, { tool: 'loudness' }];
  expect(flow({ steps })).toEqual([
    'remove-noise < files',
    'transcribe < remove-noise = result',
    'loudness < remove-noise',
    'loudness-2 < loudness = result',
  ]);
});

it('steps name what they take, by input field where there are several, and what they keep', () => {
  expect(
    flow({
      steps: [
        { tool: 'remove-noise', name: 'clean', keep: true },
        { tool: 'swap-audio', input: { video_file_id: 'files', audio_file_id: 'clean' } },
        { tool: 'join', input: ['files', 'clean'] },
      ],
    }),
  ).toEqual([
    'clean < files = result',
    'swap-audio < video_file_id files, audio_file_id clean = result',
    'join < files+clean = result',
  ]);
});

it.each([
  [{ steps: [] }, /steps/],
  [{ steps: Array.from({ length: 21 }, () => ({ tool: 'loudness' })) }, /steps/],
  [{ steps: [{ tool: 'nois' }] }, /Step nois: there is no tool nois/],
  [{ steps: [{ tool: 'loudness', options: { target: 'loud' } }] }, /Step loudness: Expected one of podcast/],
  [{ steps: [{ tool: 'loudness', optoins: {} }] }, /optoins/],
  [{ steps: [{ tool: 'loudness', input: 'clean' }] }, /Step loudness: its input clean is no earlier step/],
  [{ steps: [{ tool: 'loudness', name: 'files' }] }, /files is taken/],
  [
    {
      steps: [
        { tool: 'loudness', name: 'a' },
        { tool: 'convert', name: 'a' },
      ],
    },
    /Step a: .* taken/,
  ],
  [{ steps: [{ tool: 'transcribe' }, { tool: 'loudness', input: 'transcribe' }] }, /transcribe writes text/],
  [{ steps: [{ tool: 'loudness', input: { video: 'files' } }] }, /expected one of file_id in input/],
  [{ steps: [{ tool: 'loudness', formats: ['srt'] }] }, /no formats/],
  [{ steps: [{ tool: 'transcribe', formats: ['mp3'] }] }, /some of json, srt, vtt, txt/],
  [{ name: '../etc', steps: [{ tool: 'loudness' }] }, /name/],
  ['{}', /object/],
])('refuses %j by name', (chain, expected) => {
  expect(refusal(chain)).toMatch(expected);
});

it('each recipe is a valid chain for every number of files and every choice', () => {
  for (const { files, options, chain } of recipes)
    for (let count = files.min; count <= files.max; count += 1) {
      const usual = Object.fromEntries(Object.entries(options).map(([name, option]) => [name, option.default]));
      const choices = Object.entries(options).flatMap(([name, option]) =>
        (option.perFile === true ? [] : (option.choices ?? [true, false])).map((value) => ({
          ...usual,
          [name]: value,
        })),
      );
      for (const chosen of [usual, ...choices]) expect(flow(chain(count, chosen)).length).toBeGreaterThan(0);
    }
});

const podcast = (count: number, options: Readonly<Record<string, unknown>>): Chain =>
  recipeChain(requireRecipe('podcast'), count, options, 'files');

it('an episode cleans voices, and mixes music as it was recorded', () => {
  const chain = podcast(4, { roles: 'music,voice,effects,voice', shorten: false, tracks: true });
  expect(flow(chain)).toEqual([
    'level-speakers < files.2+files.4',
    'clean < level-speakers = result',
    'mix < clean+files.1+files.3',
    'episode < mix = result',
    'transcript < mix = result',
  ]);
  expect(chain.steps.find(({ name }) => name === 'mix')?.options).toMatchObject({
    duck: true,
    tracks: [{ role: 'voice' }, { role: 'voice' }, { role: 'music' }, { role: 'effects' }],
  });
  // Of voices alone nothing has changed.
  expect(flow(podcast(2, { transcript: false }))).toEqual([
    'level-speakers < files',
    'clean < level-speakers',
    'mix < clean',
    'shorten < mix',
    'episode < shorten = result',
  ]);
});

it('an episode has the picture behind its recordings as its cover, and a loudness of its own', () => {
  const chain = podcast(2, { roles: 'voice,cover', shorten: false, target: '-19' });
  expect(flow(chain)).toEqual([
    'clean < files.1',
    'level-speakers < clean',
    'label < file_id level-speakers, cover_file_id files.2',
    'episode < label = result',
    'transcript < files.1 = result',
  ]);
  expect(chain.steps.find(({ name }) => name === 'episode')?.options).toEqual({ target: 'custom', custom_lufs: -19 });
  const tracks = podcast(4, { roles: 'voice,music,voice,cover', target: -19, transcript: false });
  expect(flow(tracks)).toContain('label < file_id mix, cover_file_id files.4');
  expect(tracks.steps.find(({ name }) => name === 'mix')?.options).toMatchObject({ custom_lufs: -19 });
  const most = [...Array.from({ length: 10 }, () => 'voice'), 'cover'].join(',');
  expect(flow(podcast(11, { roles: most })).length).toBeGreaterThan(0);
  expect(() => podcast(11, {})).toThrow(/Expected 1 to 10 files/);
  expect(() => podcast(2, { target: -4 })).toThrow(/broadcast, or a number between -30 and -5 for target but/);
});

it.each([
  [2, 'cover,voice', /Expected cover only for the last file for roles/],
  [3, 'voice,cover,cover', /Expected cover only for the last file for roles/],
  [
    3,
    'voice,music',
    /Expected 3, separated by commas, of voice, music, effects, cover for roles but received voice,music/,
  ],
  [2, 'voice,song', /of voice, music, effects, cover for roles/],
  [2, 'music', /Expected a voice among the roles/],
  [2, true, /for roles/],
])('refuses %i files with the roles %s', (count, roles, expected) => {
  expect(() => podcast(count, { roles })).toThrow(expected);
});
