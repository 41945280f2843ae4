declare module 'proxy-from-env' {
  /** The environment's proxy for a URL; '' for none. */
  export function getProxyForUrl(url: URL): string;
}
