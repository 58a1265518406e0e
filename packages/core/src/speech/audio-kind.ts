import { basename, extname } from 'node:path'

/** Names of one kind of file. */
const sameKind: Readonly<Record<string, string>> = { oga: 'ogg', opus: 'ogg', wave: 'wav' }

/** The kind of a file of sound by its name: its extension, the usual one of several. */
export function audioKind(path: string): string {
  const extension = extname(path).slice(1).toLowerCase()
  return sameKind[extension] ?? extension
}

/** Its name with the usual extension of its kind, by which services go. */
export function usualName(path: string): string {
  return `${basename(path, extname(path))}.${audioKind(path)}`
}
