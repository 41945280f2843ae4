// Sentences of a transcription on their way from the worker that reads to the request that waits for it. Nothing of
// them is kept: what gets lost on the way is in the transcript.

/** A finished sentence, as the transcript will hold it, without its words. */
export interface SaidSentence {
  readonly startSeconds: number;
  readonly endSeconds: number;
  readonly text: string;
  /** From 1; null: speakers are not told apart. */
  readonly speaker: number | null;
}

/** The way of sentences between the processes of a service. */
export interface SaidSentences {
  /**
   * Tells the listeners of all processes. Failures are not told: the transcript has all of it.
   * @param from number of the first of them in the transcript, from 0
   */
  say(jobId: string, from: number, sentences: readonly SaidSentence[]): void;
  /**
   * Calls back for each sentence from now on, which may come twice when a job is begun again. Must not throw.
   * @returns a function that stops
   */
  hear(jobId: string, listener: (number: number, sentence: SaidSentence) => void): () => void;
}
