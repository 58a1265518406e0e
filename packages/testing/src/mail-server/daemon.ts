import { spawn } from 'node:child_process'
import { connect } from 'node:net'

/** A server in a process of its own. */
export interface Daemon {
  /** Ends it with all its connections. */
  stop(): Promise<void>
}

export interface DaemonOptions {
  readonly command: string
  readonly args: readonly string[]
  /** What it listens on when it is ready, on loopback. */
  readonly ports: readonly number[]
}

/** Longest start, ms, and the pause between looks. */
const [startMs, lookMs] = [20_000, 20]

/** Starts a server that stays in the foreground; resolves when its ports are open. Rejects with what it said. */
export async function startDaemon({ command, args, ports }: DaemonOptions): Promise<Daemon> {
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'], detached: true })
  let said = ''
  const note = (chunk: Buffer) => (said = (said + chunk.toString('utf8')).slice(-4_000))
  child.stdout.on('data', note)
  child.stderr.on('data', note)
  let hasEnded = false
  const ended = new Promise<void>((resolve) => {
    child.once('error', (error) => {
      note(Buffer.from(String(error)))
      hasEnded = true
      resolve()
    })
    child.once('exit', () => {
      hasEnded = true
      resolve()
    })
  })
  const stop = async () => {
    if (hasEnded || child.pid === undefined) return
    child.kill('SIGTERM')
    await ended
    endGroup(child.pid)
  }
  const until = performance.now() + startMs
  for (const port of ports) {
    while (!(await isOpen(port))) {
      if (hasEnded || performance.now() > until) {
        await stop()
        throw new Error(`${command} did not start: ${said}`)
      }
      await new Promise((resolve) => setTimeout(resolve, lookMs))
    }
  }
  return { stop }
}

/** Its own children may hold connections for a while. */
function endGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL')
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error
  }
}

function isOpen(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host: '127.0.0.1', port })
    socket.once('connect', () => {
      socket.destroy()
      resolve(true)
    })
    socket.once('error', () => resolve(false))
  })
}
