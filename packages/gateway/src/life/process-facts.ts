import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'

/** Whether a process was started as a gateway, this one's or upstream's. */
export async function isGatewayCommand(pid: number): Promise<boolean> {
  const command = (await commandOf(pid)) ?? ''
  return /hermes.*\bgateway\b|gateway\/run\.py/.test(command)
}

/** Its command line; undefined where it cannot be read. */
async function commandOf(pid: number): Promise<string | undefined> {
  try {
    return (await readFile(`/proc/${pid}/cmdline`, 'utf8')).replaceAll('\0', ' ').trim()
  } catch {
    return psCommand(pid)
  }
}

/** Where there is no /proc. */
function psCommand(pid: number): Promise<string | undefined> {
  return new Promise((resolve) => {
    execFile('ps', ['-o', 'command=', '-p', String(pid)], { timeout: 5_000, killSignal: 'SIGKILL' }, (error, stdout) =>
      resolve(error ? undefined : stdout.trim()),
    )
  })
}
