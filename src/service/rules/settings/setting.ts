/**
 * One setting of the service: environment variable, flag, kind, default, meaning. `earshot config` and
 * `earshot serve --help` list them all; they are read once, validated, and frozen.
 */
export interface Setting {
  /** Name of the environment variable. */
  readonly env: string;
  /** Flag of `earshot serve`, without the dashes. */
  readonly flag: string;
  readonly kind: 'text' | 'integer' | 'number' | 'choice' | 'boolean' | 'prices' | 'secret';
  /** The values of a setting of kind 'choice'; absent for every other kind. */
  readonly choices?: readonly string[];
  /** Smallest number, in the setting's own unit; absent: no limit. */
  readonly minimum?: number;
  /** Largest number, in the setting's own unit; absent: no limit. */
  readonly maximum?: number;
  /** As text, as in the environment; null: unset. */
  readonly default: string | null;
  /** One line with the unit, for help and for the README. */
  readonly description: string;
}
