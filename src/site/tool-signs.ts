// Icons of the tools by slug, 32 x 32: five bars of sound, and what the tool does to them.
export const toolSigns: Readonly<Record<string, string>> = {
  'remove-noise':
    '<path class="n" d="M3 9h3v3H3zM7 20h3v3H7zM2 17h3v3H2zM10 7h3v3h-3zM7 13h3v3H7zM12 21h3v3h-3zM11 15h3v3h-3z"/><path d="M19 11v10M24 6v20M29 10v12"/>',
  'enhance-voice': '<path class="m" d="M2 28h28"/><path d="M4 14v4M9 13v6"/><path d="M16 9v14M21 7v18M26 10v12"/>',
  loudness: '<path class="m" d="M1 6h30"/><path d="M5 12v8M11 8v16M16 8v16M21 8v16M27 11v10"/>',
  'level-speakers':
    '<path class="m" d="M12.500 6h7M12.500 26h7"/><path d="M5 6v20M10 6v20"/><path d="M22 6v20M27 6v20"/>',
  transcribe: '<path class="m" d="M14 8h15"/><path d="M4 10v12M9 6v20"/><path d="M14 16h15M14 24h9"/>',
  'align-script': '<path d="M5 13v6M12 9v14M19 11v10M27 8v16"/><path class="m" d="M2 29h6M12 29h6M22 29h8"/>',
  'media-info': '<path d="M6 13v6M11 9v14M16 6v20M21 11v10M26 14v4"/><path class="m" d="M2 30h28"/>',
  cut: '<path d="M4 10v12M9 6v20"/><path d="M23 6v20M28 10v12"/><path class="m" d="M16 3v6m0 4v6m0 4v6"/>',
  'remove-silence': '<path class="m" d="M12 16h8"/><path d="M4 10v12M9 6v20"/><path d="M23 6v20M28 10v12"/>',
  'remove-fillers':
    '<path class="m" d="m12.500 12.500 7 7m0-7-7 7"/><path d="M4 10v12M9 6v20"/><path d="M23 6v20M28 10v12"/>',
  join: '<path class="m" d="M16 4v24"/><path d="M3 11v10M7 7v18M11.5 12v8"/><path d="M20.5 12v8M25 7v18M29 11v10"/>',
  mix: '<path d="M4 6v6M9 4v10M14 6v6M4 20v6M9 18v10M14 20v6"/><path class="m" d="M17 16h4"/><path d="M25 5v22M29 9v14"/>',
  'swap-audio':
    '<path class="m" d="M2 25h28"/><path d="M3 4h26v12H3zM5 22v6M10.500 20v10M16 22v6M21.500 20v10M27 22v6"/>',
  convert: '<path d="M4 7v18M9 11v10"/><path class="m" d="M12.500 16h7m-3-4 4 4-4 4"/><path d="M25 7v18M29 11v10"/>',
  editor: '<path d="M3 8h10M19 8h10M3 16h26M3 24h18"/><path class="m" d="M16 3v10"/>',
};

/** For tools without an icon of their own. */
export const anyToolSign = '<path d="M5 12v8M11 8v16M16 5v22M21 9v14M27 12v8"/>';
