/** Why a tool cannot run here, and what to do. */
export interface Unavailability {
  readonly message: string;
  readonly nextAction: string;
}
