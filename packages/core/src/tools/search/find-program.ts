import { constants } from 'node:fs'
import { access } from 'node:fs/promises'
import { delimiter, isAbsolute, join } from 'node:path'

/** Whether a program is in one of the folders of a `PATH`. */
export async function isProgramThere(name: string, path: string | undefined): Promise<boolean> {
  const folders = (path ?? '').split(delimiter).filter(isAbsolute)
  for (const folder of folders) {
    try {
      await access(join(folder, name), constants.X_OK)
      return true
    } catch (error) {
      if (!(error instanceof Error && 'code' in error)) throw error
    }
  }
  return false
}
