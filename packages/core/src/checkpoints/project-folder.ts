import { existsSync, realpathSync } from 'node:fs'
import { homedir, tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { CheckpointError } from './checkpoint-store.ts'

/** What tells that a folder is a project, as upstream has it. */
const markers = [
  '.git',
  'pyproject.toml',
  'package.json',
  'Cargo.toml',
  'go.mod',
  'Makefile',
  'pom.xml',
  '.hg',
  'Gemfile',
]

export interface Homes {
  /** The home folder that commands see. */
  readonly userHome: string
  readonly hermesHome: string
}

/**
 * The folder whose state is kept for a change in `folder` (absolute): the nearest one upwards that is a project, else
 * the folder itself, or its nearest ancestor that is there. Throws `CheckpointError` where that is one of those never
 * kept: the root, the home folder and what holds it, the Hermes home, the folder of temporary files, and, where they are
 * no projects, the folders right below the root.
 */
export function projectFolder(folder: string, homes: Homes): string {
  const start = existing(folder)
  for (let at = start; dirname(at) !== at; at = dirname(at)) {
    if (isProject(at) && !isNeverKept(at, homes)) return at
  }
  const isTopmost = dirname(dirname(start)) === dirname(start)
  if (!isTopmost && !isNeverKept(start, homes)) return start
  throw new CheckpointError('not-kept-here', `no checkpoints are kept of ${start}; work in a folder of its own`)
}

/** Whether a folder is a project's topmost one. */
export function isProject(folder: string): boolean {
  return markers.some((name) => existsSync(join(folder, name)))
}

function isNeverKept(folder: string, { userHome, hermesHome }: Homes): boolean {
  if ([hermesHome, tmpdir()].some((one) => real(one) === folder)) return true
  return [userHome, homedir()].some((home) => `${real(home)}/`.startsWith(`${folder}/`))
}

function existing(folder: string): string {
  let at = folder
  while (!existsSync(at) && dirname(at) !== at) at = dirname(at)
  return real(at)
}

function real(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    // It is not there, or cannot be looked at: then it is no folder that is asked about.
    return path
  }
}
