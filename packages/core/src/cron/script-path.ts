import { realpath, stat } from 'node:fs/promises'
import { isAbsolute, join, relative, resolve, sep } from 'node:path'
import type { Home } from '../config/home.ts'
import { CronError } from './cron-error.ts'

function scriptsFolder(home: Home): string {
  return home.path('scripts')
}

/**
 * Refuses a script that is not named by its path below the home's `scripts/`, or leads out of it by a link. It need not
 * be there yet. Throws `CronError` with code `bad-script`.
 */
export async function checkScript(script: string, home: Home): Promise<void> {
  const isOutside = isAbsolute(script) || /^[~\\]|^[a-z]:|\0/i.test(script) || script.split(/[\\/]/).includes('..')
  if (isOutside || script.length > 500) {
    throw new CronError('bad-script', `"${script}" is refused: name a file by its path below ${scriptsFolder(home)}.`)
  }
  const found = await stat(join(scriptsFolder(home), script)).catch(() => undefined)
  if (found) await scriptPath(script, home)
}

/** The script's real path, which lies in the home's `scripts/`. Throws `CronError` with code `bad-script`. */
export async function scriptPath(script: string, home: Home): Promise<string> {
  const folder = scriptsFolder(home)
  try {
    const [root, path] = await Promise.all([realpath(folder), realpath(resolve(folder, script))])
    const inside = relative(root, path)
    if (inside !== '' && inside !== '..' && !inside.startsWith(`..${sep}`) && !isAbsolute(inside)) {
      if ((await stat(path)).isFile()) return path
      throw new CronError('bad-script', `The script "${script}" is no file.`)
    }
  } catch (error) {
    if (error instanceof CronError) throw error
    const reason = error instanceof Error && 'code' in error ? String(error.code) : String(error)
    throw new CronError('bad-script', `The script "${script}" is not in ${folder} (${reason}).`, { cause: error })
  }
  throw new CronError('bad-script', `The script "${script}" lies outside ${folder}, so it is not run.`)
}
