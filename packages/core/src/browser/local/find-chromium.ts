import { accessSync, constants, statSync } from 'node:fs'
import { delimiter, isAbsolute, join } from 'node:path'
import type { Environment } from '../../agent/context.ts'

const programs = [
  'chromium',
  'chromium-browser',
  'google-chrome-stable',
  'google-chrome',
  'chrome',
  'microsoft-edge-stable',
  'microsoft-edge',
  'brave-browser',
]

const applications = [
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  '/Applications/Microsoft Edge.app/Contents/MacOS/Microsoft Edge',
]

/** The Chromium or Chrome of this machine: `BROWSER_PATH` or `CHROME_PATH`, else the first in the `PATH`. */
export function findChromium(environment: Environment): string | undefined {
  const named = environment['BROWSER_PATH'] || environment['CHROME_PATH']
  // Whoever names one means no other.
  if (named) return isProgram(named) ? named : undefined
  const folders = foldersOf(environment)
  const candidates = programs.flatMap((name) => folders.map((folder) => join(folder, name)))
  return [...candidates, ...applications].find(isProgram)
}

/** The files and folders that decide what is found: as long as none changes, neither does that. */
export function placesOfChromium(environment: Environment): readonly string[] {
  const named = environment['BROWSER_PATH'] || environment['CHROME_PATH']
  return named ? [named] : [...foldersOf(environment), ...applications]
}

function foldersOf(environment: Environment): readonly string[] {
  return (environment['PATH'] ?? '').split(delimiter).filter((folder) => isAbsolute(folder))
}

function isProgram(path: string): boolean {
  try {
    if (!statSync(path, { throwIfNoEntry: false })?.isFile()) return false
    accessSync(path, constants.X_OK)
    return true
  } catch (error) {
    // Folders of the PATH that this person may not look into have nothing for them.
    if (error instanceof Error && 'code' in error) return false
    throw error
  }
}
