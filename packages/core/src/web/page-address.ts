/** A URL in its usual spelling without its fragment, which names no other page. */
export function pageAddress(url: string): string {
  const parsed = URL.parse(url)
  if (!parsed) return url
  parsed.hash = ''
  return parsed.href
}
