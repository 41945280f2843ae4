// A project of Reaper (.rpp): nested blocks of text, times in seconds, so that sound is exact to the sample.
import { dbToGain } from '../../core/levels.ts';
import { sampleRateOf, type Timeline, type WrittenTimeline } from '../form/timeline.ts';
import { endingOf } from '../form/media-url.ts';

/** How Reaper reads a file, by its ending; all others by its video reader. */
const kinds: Readonly<Record<string, string>> = {
  '.wav': 'WAVE',
  '.aif': 'WAVE',
  '.aiff': 'WAVE',
  '.w64': 'WAVE',
  '.mp3': 'MP3',
  '.flac': 'FLAC',
  '.ogg': 'VORBIS',
  '.opus': 'VORBIS',
};

/** In the marks that the text has not. */
function quoted(text: string): string {
  const plain = text.replaceAll(/\p{Cc}/gu, ' ');
  const mark = ['"', "'", '`'].find((each) => !plain.includes(each));
  return mark === undefined ? `\`${plain.replaceAll('`', "'")}\`` : `${mark}${plain}${mark}`;
}

/** Seconds to a hundredth of a sample at 192 kHz. */
const seconds = (value: number): string => String(Number(value.toFixed(9)));

export function writeReaper(timeline: Timeline): WrittenTimeline {
  const { sources, tracks, markers } = timeline;
  const lines = ['<REAPER_PROJECT 0.1 "7.0" 0', `  SAMPLERATE ${sampleRateOf(timeline)} 0 0`];
  for (const [index, { atSeconds, durationSeconds, text }] of markers.entries()) {
    const isRegion = durationSeconds > 0 ? 1 : 0;
    lines.push(`  MARKER ${index + 1} ${seconds(atSeconds)} ${quoted(text)} ${isRegion}`);
    if (isRegion) lines.push(`  MARKER ${index + 1} ${seconds(atSeconds + durationSeconds)} "" 1`);
  }
  for (const { name, clips } of tracks) {
    lines.push('  <TRACK', `    NAME ${quoted(name)}`);
    for (const clip of clips) {
      const source = sources[clip.source];
      if (source === undefined) continue;
      const { startSeconds, endSeconds, atSeconds, gainDb = 0, fadeInSeconds = 0, fadeOutSeconds = 0 } = clip;
      lines.push(
        '    <ITEM',
        `      POSITION ${seconds(atSeconds)}`,
        `      LENGTH ${seconds(endSeconds - startSeconds)}`,
        `      SOFFS ${seconds(startSeconds)}`,
        `      FADEIN 1 ${seconds(fadeInSeconds)} 0 1 0 0 0`,
        `      FADEOUT 1 ${seconds(fadeOutSeconds)} 0 1 0 0 0`,
        `      VOLPAN ${dbToGain(gainDb).toFixed(9)} 0 1 -1`,
        `      NAME ${quoted(source.name)}`,
        `      <SOURCE ${kinds[endingOf(source.path)] ?? 'VIDEO'}`,
        `        FILE ${quoted(source.path)}`,
        '      >',
        '    >',
      );
    }
    lines.push('  >');
  }
  return { text: `${[...lines, '>'].join('\n')}\n`, leftOut: [] };
}
