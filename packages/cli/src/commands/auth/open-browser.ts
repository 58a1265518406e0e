import { spawn } from 'node:child_process'
import type { Environment } from '@hermes/core/agent/context.ts'

/** How to open an address in this machine's browser; undefined where the person has none in front of them. */
export function browserOpener(environment: Environment): ((url: string) => void) | undefined {
  const command = browserCommand(environment)
  if (!command) return undefined
  return (url) => {
    const [program = '', ...args] = command
    const child = spawn(program, [...args, url], { detached: true, stdio: 'ignore', env: environment })
    // The address is shown as well, so that a browser that does not open is no loss.
    child.on('error', () => child.unref())
    child.unref()
  }
}

function browserCommand(environment: Environment): readonly string[] | undefined {
  const [own] = (environment['BROWSER'] ?? '').split(':')
  if (own) return [own]
  if (process.platform === 'darwin') return environment['SSH_TTY'] ? undefined : ['open']
  if (process.platform === 'win32') return ['rundll32', 'url.dll,FileProtocolHandler']
  return environment['DISPLAY'] || environment['WAYLAND_DISPLAY'] ? ['xdg-open'] : undefined
}
