/**
 * Browsers hide a response that a page may not read: it looks like a broken connection. If the page has another origin
 * and the service does answer, CORS is the reason.
 * @returns what to do about it; null: another reason
 */
export async function refusedToPage(baseUrl: string, fetch: typeof globalThis.fetch): Promise<string | null> {
  const { location } = globalThis as { readonly location?: { readonly origin?: string } };
  const own = location?.origin;
  if (own === undefined || !/^https?:/.test(own) || new URL(baseUrl).origin === own) return null;
  try {
    // This response may not be read either, but its arrival is enough.
    await fetch(`${baseUrl}/livez`, { mode: 'no-cors', credentials: 'omit', signal: AbortSignal.timeout(5000) });
    return (
      `was answered, but pages of ${own} may not read it: the service's setting EARSHOT_CORS_ORIGINS ` +
      `(--cors-origins) has to name ${own}`
    );
  } catch {
    return null;
  }
}
