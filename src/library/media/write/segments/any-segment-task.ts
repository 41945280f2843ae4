// Encodes one segment of any codec, on any thread.
import { addMoreJoiners } from './more-joiners.ts';

addMoreJoiners();

export { encodeSegment } from './segment-task.ts';
