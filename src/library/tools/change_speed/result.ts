/** The result of change_speed. */
export interface ChangeSpeedResult {
  /** How many times as fast as the input the output is. */
  readonly speed: number;
  /** Length of the input's sound, seconds. */
  readonly inputSeconds: number;
  /** Length of the output, seconds: that of the input by the speed, to a sample. */
  readonly durationSeconds: number;
}
