/** Text of an XML element or attribute; characters that XML 1.0 does not have are left out. */
export const xmlText = (text: string): string => (isPlain.test(text) ? text : escaped(text));

/** Most texts have nothing to escape. */
const isPlain = /^[\t -!#-%'-;=?-~\u00A0-\uD7FF]*$/;

const escaped = (text: string): string =>
  text
    // oxlint-disable-next-line no-control-regex -- those that XML refuses
    .replaceAll(/[\u0000-\u0008\u000B\u000C\u000E-\u001F\uFFFE\uFFFF]/g, '')
    .replaceAll(/\p{Cs}/gu, '')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
