import { randomBytes } from 'node:crypto'
import { accessSync, constants } from 'node:fs'
import { join } from 'node:path'
import { parseExports } from './exported-variables.ts'

/** The shell that commands run in. */
export interface Shell {
  readonly path: string
  readonly isBash: boolean
}

/** Arguments that run a script without any start-up files. */
export function scriptArguments(shell: Shell, script: string): string[] {
  return shell.isBash ? ['--noprofile', '--norc', '-c', script] : ['-c', script]
}

/** bash where `path` has one, else the system's `sh`. */
export function findShell(path: string): Shell {
  for (const folder of path.split(':')) {
    const candidate = join(folder, 'bash')
    if (folder.startsWith('/') && isExecutable(candidate)) return { path: candidate, isBash: true }
  }
  return { path: '/bin/sh', isBash: false }
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}

/** The descriptor on which a shell gets the pipe for its report. */
export const reportFd = 3

/** What a shell tells of itself when it ends. */
export interface ShellReport {
  readonly cwd: string
  /** Exported variables. */
  readonly variables: ReadonlyMap<string, string>
  /** A login shell's functions and aliases, as a script that defines them; else empty. */
  readonly definitions: string
}

/** A command as text, or as a file to be read where it is too long for an argument. */
export type ScriptBody = { readonly text: string } | { readonly path: string }

/** Builds the scripts of one terminal and reads what they report. */
export interface ShellScripts {
  /** Runs `body`, then reports. `definitionsPath`: a file read first. */
  foreground(body: ScriptBody, definitionsPath?: string): string
  /** Runs `body` alone. */
  background(body: ScriptBody, definitionsPath?: string): string
  /** Reports what a login shell starts with. */
  login(): string
  /** Whether a report has come in full. */
  isComplete(report: string): boolean
  /** Undefined where the report did not come in full: the shell was killed, or replaced by `exec`. */
  read(report: string): ShellReport | undefined
}

export function createShellScripts(shell: Shell): ShellScripts {
  const mark = `hermes-${randomBytes(8).toString('hex')}`
  // A high number in bash, since scripts use the low ones (`exec 3>file`, `flock 9`); sh knows single digits alone.
  const fd = shell.isBash ? 60 : 8
  // Builtins alone, so that reporting starts no process; `command` passes over functions of the same name.
  const state = `command pwd -P; command echo ${mark}; command export -p; command echo ${mark}`
  const definitions = shell.isBash ? 'command declare -f; command alias -p' : 'command alias'
  const isComplete = (report: string) => report.endsWith(`${mark}-end\n`)
  return {
    foreground(body, definitionsPath) {
      const report = `{ ${state}-end; } >&${fd}`
      return [
        // The trap reports when the command itself ends the shell (`exit`, `set -e`).
        `exec ${fd}>&${reportFd} ${reportFd}>&-; trap '{ [ -n "\${__hermes-}" ] || ${report}; } 2>/dev/null' EXIT`,
        ...readFirst(definitionsPath),
        'text' in body ? `eval ${quote(body.text)}` : `. ${quote(body.path)}`,
        `{ __hermes=$?; set +x; ${report}; } 2>/dev/null`,
        'exit "$__hermes"',
      ].join('\n')
    },
    background(body, definitionsPath) {
      return [...readFirst(definitionsPath), 'text' in body ? body.text : `. ${quote(body.path)}`].join('\n')
    },
    login() {
      return `{ ${state}; ${definitions}; command echo ${mark}-end; } >&${reportFd} 2>/dev/null`
    },
    isComplete,
    read(report) {
      if (!isComplete(report)) return undefined
      const [cwd = '', variables = '', definitions = ''] = report.split(new RegExp(`${mark}(?:-end)?\n`))
      return { cwd: cwd.replace(/\n$/, ''), variables: parseExports(variables), definitions }
    },
  }
}

function readFirst(path: string | undefined): string[] {
  return path === undefined ? [] : [`. ${quote(path)}`]
}

/** A word that the shell reads as exactly `text`. */
function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}
