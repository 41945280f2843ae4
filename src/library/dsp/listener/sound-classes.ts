// Classes of YAMNet by what the tools ask (AudioSet's ontology: Gemmeke et al., 2017), numbered as in its class map.

/** Of each patch of sound the network gives so many scores. */
export const classCount = 521;

/** Speech, child speech, conversation, narration. */
export const speechClasses: readonly number[] = [0, 1, 2, 3];
export const musicClass = 132;

/** Dogs, cats, farm and wild animals, birds, insects. */
export const animalClasses: readonly number[] = Array.from({ length: 65 }, (_, at) => 67 + at);
