// Written by scripts/build-browser.mjs from models/manifest.json and the package of eSpeak NG.
declare module 'tab-models' {
  export interface KeptFile {
    /** Below its model's folder. */
    readonly name: string;
    readonly bytes: number;
    /** Lower-case hex. */
    readonly sha256: string;
  }

  export interface KeptModel {
    readonly id: string;
    readonly title: string;
    readonly files: readonly KeptFile[];
  }

  /** What a tab may fetch. */
  export const models: readonly KeptModel[];
}
