/** The person that a `matrix.to` link leads to; undefined for other links. */
export function personOfLink(href: string): string | undefined {
  const encoded = /^https:\/\/matrix\.to\/#\/([^?]+)/i.exec(href)?.[1]
  if (encoded === undefined) return undefined
  const id = decoded(encoded)
  return id.startsWith('@') ? id : undefined
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    // A percent sign that stands for itself.
    return text
  }
}
