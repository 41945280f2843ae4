// In JavaScript, since the types of these packages bring a browser's with them, which clash with Node's: preact.d.ts says
// what is used of them.
export { html } from 'htm/preact';
export { renderToString } from 'preact-render-to-string';
