/**
 * Begins a pass over the material, which ends the one before. Whoever runs it hears its own fraction, 0 to 1; what the whole
 * run makes of that hangs on what passes cost here, see `run-meter.ts`.
 * @param stage a short word for what is done: "encoding"
 * @param after the stages of the passes that follow for certain, a pass each
 * @param maybe those that may follow: as many as usual
 */
export type StartPass = (
  stage: string,
  after?: readonly string[],
  maybe?: readonly string[],
) => (fraction: number) => void;
