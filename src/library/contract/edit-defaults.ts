// What an edit does unless it is told otherwise: the same in the tools and in the editor.

/** Steps of an edit that are stored for undo: the latest. */
export const mostSteps = 300;
/** Most characters of them. */
export const mostStepLetters = 200_000;

/** Pauses at least this long are shortened, seconds. */
export const longPauseSeconds = 0.7;
/** How much of each such pause stays, seconds. */
export const keptPauseSeconds = 0.25;
/** Pauses are found without what is below the lowest voices, Hz; otherwise hum and rumble would fill them. */
export const pauseRumbleHz = 90;
/** Crossfade at each seam, ms. */
export const crossfadeMs = 20;
