// Reads sounds in a process of its own, so that its memory and processor time are the recogniser's alone:
//     node bench/speech/read-here.ts words|transcript CORES SOUND.f32 [SOUND.f32 ...]    one JSON line each
// The first sound pays for loading the networks. `transcript` is a whole transcript with speakers.
import { createFanOut } from '../../src/library/runtime/job/fan-out.ts';
import { recognise } from '../../src/library/speech/recognise/recognise.ts';
import { openSpeech, type SpeechSound } from '../../src/library/speech/speech-sound.ts';
import { transcribe } from '../../src/library/speech/transcribe/transcribe.ts';
import type { Reading } from './readers.ts';

const [kind, cores = '1', ...paths] = process.argv.slice(2);
const { signal } = new AbortController();
const fanOut = createFanOut(Number(cores), signal);

async function wordsOf(sound: SpeechSound): Promise<string[]> {
  const options = { fanOut, signal, modelsDir: undefined, onProgress: () => undefined };
  const { regions } = await recognise(sound, { ...options, verbatim: false });
  const said: string[] = [];
  for await (const { words } of regions) said.push(...words.map(({ text }) => text));
  return said;
}

async function transcriptOf(sound: SpeechSound): Promise<string[]> {
  const options = { verbatim: true, speakerLabels: true, modelsDir: undefined, signal, fanOut };
  const { transcript } = await transcribe(sound, { ...options, pass: () => () => undefined });
  return transcript.sentences.flatMap(({ words }) => words.map(({ text }) => text));
}

for (const path of paths) {
  const sound = openSpeech(path);
  const [before, start] = [process.cpuUsage(), performance.now()];
  const said = await (kind === 'transcript' ? transcriptOf : wordsOf)(sound);
  const { user, system } = process.cpuUsage(before);
  const reading: Reading = {
    text: said.join(' '),
    words: said.length,
    cpuSeconds: (user + system) / 1e6,
    wallSeconds: (performance.now() - start) / 1000,
    peakMb: process.resourceUsage().maxRSS / 1024,
  };
  console.log(JSON.stringify(reading));
  sound.close();
}
process.exit(0);
