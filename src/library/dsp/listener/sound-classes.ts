// Classes of YAMNet (AudioSet's ontology as in yamnet_class_map.csv; Gemmeke et al., "Audio Set", 2017) by what the tools ask.

const range = (from: number, to: number): number[] => Array.from({ length: to - from + 1 }, (_, at) => from + at);

/** Of each patch of sound the network gives so many scores. */
export const classCount = 521;

/** Speech, child speech, conversation, narration. */
export const speechClasses: readonly number[] = [0, 1, 2, 3];
export const musicClass = 132;
/**
 * Music, instruments and singing: Music alone misses castanets and glockenspiels, and no class tells songs from
 * instruments.
 */
export const musicalClasses: readonly number[] = [...range(132, 276), ...range(24, 32), 249, 250];
