import { statSync } from 'node:fs'
import { dirname } from 'node:path'

export function isDirectory(path: string): boolean {
  try {
    return statSync(path).isDirectory()
  } catch {
    return false
  }
}

/** `path`, or the first folder above it that exists. */
export function nearestDirectory(path: string): string {
  let folder = path
  while (!isDirectory(folder) && dirname(folder) !== folder) folder = dirname(folder)
  return folder
}
