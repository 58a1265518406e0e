import { spawn } from 'node:child_process'
import { signalGroup } from './process-groups.ts'
import { type Shell, type ShellReport, type ShellScripts, reportFd } from './shell-script.ts'

/** Longest that a person's login files may take. */
const loginTimeoutMs = 10_000
const maxReportChars = 4_000_000

/**
 * What a login shell of this person starts with: the variables, functions and aliases of their profile files. Undefined
 * where those files fail, hang or replace the shell.
 */
export async function readLoginState(
  shell: Shell,
  scripts: ShellScripts,
  options: { readonly cwd: string; readonly env: Readonly<Record<string, string>> },
): Promise<ShellReport | undefined> {
  const child = spawn(shell.path, ['-l', '-c', scripts.login()], {
    ...options,
    stdio: ['ignore', 'ignore', 'ignore', 'pipe'],
    detached: true,
  })
  const kill = () => void (child.pid !== undefined && signalGroup(child.pid, 'SIGKILL'))
  const late = setTimeout(kill, loginTimeoutMs)
  process.once('exit', kill)
  child.once('exit', () => {
    clearTimeout(late)
    process.off('exit', kill)
  })
  const reports = child.stdio[reportFd]
  let report = ''
  reports?.on('data', (data: Buffer) => {
    if (report.length < maxReportChars) report += data.toString()
    if (scripts.isComplete(report)) reports.destroy()
  })
  await new Promise<void>((resolve) => {
    child.once('exit', () => resolve())
    child.once('error', () => {
      clearTimeout(late)
      process.off('exit', kill)
      resolve()
    })
    reports?.once('close', () => resolve())
  })
  return scripts.read(report)
}
