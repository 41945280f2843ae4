/** Why a tool cannot run here, and what to do about it. */
export interface Unavailability {
  readonly message: string;
  readonly nextAction: string;
}
