/** Anything that JSON can say; numbers are finite. */
export type JsonValue = string | number | boolean | null | JsonValue[] | { [key: string]: JsonValue };

/** What a tool answers besides files: plain JSON, so that it crosses process borders and HTTP unchanged. */
export type JsonObject = { [key: string]: JsonValue };
