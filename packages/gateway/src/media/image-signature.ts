/** The extension that an image's first bytes ask for; undefined for what is no image. */
export function imageExtension(bytes: Uint8Array): string | undefined {
  const text = Buffer.from(bytes.subarray(0, 12)).toString('latin1')
  if (text.startsWith('\x89PNG\r\n\x1a\n')) return '.png'
  if (text.startsWith('\xff\xd8\xff')) return '.jpg'
  if (text.startsWith('GIF87a') || text.startsWith('GIF89a')) return '.gif'
  if (text.startsWith('RIFF') && text.slice(8, 12) === 'WEBP') return '.webp'
  return text.startsWith('BM') ? '.bmp' : undefined
}
