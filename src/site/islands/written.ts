// What the editor loads when a text is exported or captions are looked at: every form of a transcript.
export { captionNumber } from '../../library/speech/transcript/write/by-hand.ts';
export { captionsOf } from '../../library/speech/transcript/write/captions.ts';
export { writeTranscript } from '../../library/speech/transcript/write/formats.ts';
export { captionLimits, cellsOf } from '../../library/speech/transcript/write/limits.ts';
export { prefixOf } from '../../library/speech/transcript/write/subtitles.ts';
