declare module 'proxy-from-env' {
  /** The proxy that the environment names for an address; '' for none. */
  export function getProxyForUrl(url: URL): string;
}
