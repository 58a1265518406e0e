/** What file systems take of a name, bytes of UTF-8; and the longest ending that a name keeps when it is cut. */
const [maxBytes, maxEndingBytes] = [200, 50]

/** The last part of a name alone, so that it leads nowhere else; undefined where nothing is left of it. */
export function safeName(filename: string): string | undefined {
  const last = filename.split(/[/\\]/).at(-1) ?? ''
  const name = last.replaceAll(/[\p{Cc}:*?"<>|]/gu, '_').toWellFormed()
  if (name === '' || /^\.+$/.test(name)) return undefined
  if (sizeOf(name) <= maxBytes) return name
  const ending = /\.[^.]+$/.exec(name)?.[0] ?? ''
  const kept = sizeOf(ending) <= maxEndingBytes ? ending : ''
  return cut(name.slice(0, name.length - kept.length), maxBytes - sizeOf(kept)) + kept
}

function sizeOf(text: string): number {
  return new TextEncoder().encode(text).length
}

function cut(text: string, room: number): string {
  const bytes = new Uint8Array(room)
  return text.slice(0, new TextEncoder().encodeInto(text, bytes).read)
}
