declare module 'pako/lib/deflate.js' {
  const pako: { deflate(bytes: Uint8Array): Uint8Array };
  export default pako;
}
