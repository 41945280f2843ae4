// Does level_speakers tell a speaker's own voice from the others' in the same microphone? Conversations of known turns,
// each voice on its track and the others' behind it, softer voices, rooms, microphones of different gain.
//     node bench/tools/bleed.ts
// Prints for each track how far the own voice is over the others', before and after, dB.
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { levelSpeakers } from '../../src/library/tools/level_speakers/tool.ts';
import { readAll } from '../../test/fixtures/media/media.ts';
import { writeWav } from '../../test/fixtures/media/pcm-files.ts';
import { recording } from '../../test/fixtures/recordings.ts';
import { bleedCases, bleedTracks, ownOverBleed, togetherLoss } from '../../test/fixtures/sounds/bleed.ts';
import { readVoice } from '../../test/fixtures/sounds/conversations.ts';
import { runWith } from '../../test/library/dsp/tool-run.ts';

const folder = mkdtempSync(join(tmpdir(), 'earshot-bleed-'));
const voices = (['jfk.wav', 'acoustic_corpus.wav', 'sonnet001.mp3'] as const).map((name) => readVoice(recording(name)));
const shown = (values: readonly number[]): string => values.map((value) => value.toFixed(1).padStart(5)).join(' ');

console.log('| set-up | before | after | both talk |\n|---|---|---|---|');
for (const [title, bleed] of Object.entries(bleedCases)) {
  const made = bleedTracks(voices.slice(0, bleed.voicesDb.length), 12, bleed);
  const paths = made.tracks.map((plane, at) =>
    writeWav(join(folder, `${title}-${at}.wav`.replaceAll(' ', '_')), [plane], made.rate, 'f32'),
  );
  const ran = await runWith(levelSpeakers, { track_file_ids: paths }, {}, join(folder, 'run-'));
  const after = ran.outputs.map(({ path }) => readAll(path).planes[0] as Float32Array);
  console.log(
    `| ${title} | ${shown(ownOverBleed(made, made.tracks))} | ${shown(ownOverBleed(made, after))} | ${shown(togetherLoss(made, after))} | ${ran.warnings.map(({ code }) => code).join()}`,
  );
}
