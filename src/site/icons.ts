/** Icons, drawn for this site: the content of svg elements of 24 x 24. A script carries those that it shows. */
export const play = '<path class="f" d="M7 4v16l13-8z"/>';
export const pause = '<path class="f" d="M6 4h4v16H6zM14 4h4v16h-4z"/>';
export const back = '<path d="M4 5v14"/><path class="f" d="M20 4v16L7 12z"/>';
export const fwd = '<path d="M20 5v14"/><path class="f" d="M4 4v16l13-8z"/>';
export const down = '<path d="M12 3v12m-5-5 5 5 5-5M4 20h16"/>';
export const up = '<path d="M12 16V4M7 9l5-5 5 5M4 20h16"/>';
export const link = '<path d="M9 8H7a4 4 0 0 0 0 8h2m6-8h2a4 4 0 0 1 0 8h-2M9 12h6"/>';
export const mic = '<path d="M9 4h6v9H9zM5 11v1a7 7 0 0 0 14 0v-1M12 19v3"/>';
export const cut = '<path d="M12 2v3m0 3v2m0 3v2m0 3v4"/><path d="M3 9v6M7.500 6v12M16.500 6v12M21 9v6"/>';
export const undo = '<path d="M8 4 3 9l5 5M4 9h10a6 6 0 0 1 0 12H8"/>';
export const redo = '<path d="m16 4 5 5-5 5m4-5H10a6 6 0 0 0 0 12h6"/>';
export const search = '<circle cx="10.500" cy="10.500" r="6.500"/><path d="m15.500 15.500 5 5"/>';
export const check = '<path d="m4 12.500 5.500 5.500L20 6.500"/>';
export const x = '<path d="m5 5 14 14M19 5 5 19"/>';
export const warn = '<path d="M12 3 2 20h20zM12 10v4.500"/><path class="f" d="M11 16.200h2v2h-2z"/>';
export const info = '<circle cx="12" cy="12" r="9"/><path d="M12 11v6"/><path class="f" d="M11 6.700h2v2h-2z"/>';
export const more = '<path class="f" d="M4 10.500h3v3H4zM10.500 10.500h3v3h-3zM17 10.500h3v3h-3z"/>';
export const chev = '<path d="m6 9 6 6 6-6"/>';
export const right = '<path d="M4 12h15m-6-6 6 6-6 6"/>';
export const key = '<circle cx="7.500" cy="12" r="4.500"/><path d="M12 12h9v4m-4-4v3"/>';
export const copy = '<path d="M8 8h12v12H8zM4 16V4h12"/>';
export const trash = '<path d="M4 6h16M9 6V3h6v3M6 6v15h12V6M10 10v7m4-7v7"/>';
export const user = '<circle cx="12" cy="8" r="4.500"/><path d="M4 21c0-4 3-6 8-6s8 2 8 6"/>';
export const clock = '<circle cx="12" cy="12" r="9"/><path d="M12 6.500V12l4 2.500"/>';
export const file = '<path d="M6 3h8l4 4v14H6zM9.500 12v4M12 10.500v7m2.500-5.500v4"/>';
export const card = '<path d="M3 5h18v14H3zM3 10h18M6.500 15h4"/>';
export const refresh = '<path d="M20 12a8 8 0 1 1-2.500-5.800M20 3v5h-5"/>';
export const plus = '<path d="M12 4v16M4 12h16"/>';
export const minus = '<path d="M4 12h16"/>';
export const eye =
  '<path d="M2 12c3-5 6-7 10-7s7 2 10 7c-3 5-6 7-10 7s-7-2-10-7z"/><circle cx="12" cy="12" r="2.500"/>';
export const pass =
  '<circle cx="9" cy="8" r="4.500"/><path d="M2 21c0-4 3-6 7-6M18 11.500a2.500 2.500 0 1 0-.100 0zM18 ' +
  '11.500V20l-2-1.500"/>';
export const mail = '<path d="M3 5h18v14H3zM3 6l9 7 9-7"/>';
export const grip =
  '<path class="f" d="M8 4h3v3H8zM13 4h3v3h-3zM8 10.500h3v3H8zM13 10.500h3v3h-3zM8 17h3v3H8zM13 17h3v3h-3z"/>';
export const left = '<path d="M20 12H5m6-6-6 6 6 6"/>';
export const arrup = '<path d="M12 20V5m-6 6 6-6 6 6"/>';
export const arrdn = '<path d="M12 4v15m-6-6 6 6 6-6"/>';
export const pen = '<path d="M4 20l1-5L16 4l4 4L9 19zM14 6l4 4"/>';
export const leave = '<path d="M10 4H4v16h6M9 12h12m-5-5 5 5-5 5"/>';
export const nolink = '<path d="M3 9a14 14 0 0 1 18 0M6.500 13a9 9 0 0 1 11 0M10 17a3.500 3.500 0 0 1 4 0M4 21 20 3"/>';
export const video = '<path d="M2 6h13v12H2zM15 10l7-4v12l-7-4z"/>';
export const text = '<path d="M4 6h16M4 12h16M4 18h10"/>';
export const loop = '<path d="M4 12V7h14m-3-4 4 4-4 4M20 12v5H6m3 4-4-4 4-4"/>';
export const print = '<path d="M7 8V3h10v5M7 17H3V8h18v9h-4M7 13h10v8H7z"/>';
export const stop = '<path class="f" d="M5 5h14v14H5z"/>';
export const zin = '<circle cx="10.500" cy="10.500" r="6.500"/><path d="m15.500 15.500 5 5M10.500 8v5M8 10.500h5"/>';
export const zout = '<circle cx="10.500" cy="10.500" r="6.500"/><path d="m15.500 15.500 5 5M8 10.500h5"/>';
export const kb = '<path d="M2 6h20v12H2zM7 14h10M6 10h.500m3 0h.500m3 0h.500m3 0h.500"/>';
