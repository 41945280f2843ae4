// In place of media/read/segments/open-segments.ts: sound that is read where it lies needs no threads.
import type { MediaFacts } from '../../../../../../library/media/facts.ts';
import { type AudioSource, openAudio } from '../decode.ts';

export const openToMeasure = (facts: MediaFacts): AudioSource => openAudio(facts);
