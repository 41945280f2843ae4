/** How loud three things are in the result, as factors of the amplitude; 1 as recorded. */
export interface Balance {
  readonly voice: number;
  /** What a noise suppressor takes away: noise, ambience, reverberation; 0: nothing of it is left. */
  readonly room: number;
  /** Music in passages without a voice. */
  readonly music: number;
}
