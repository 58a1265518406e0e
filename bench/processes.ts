import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'

export const root = join(import.meta.dirname, '..')
/** The built command. */
export const hermes = join(root, 'dist', 'hermes.cjs')

/** Runs Node to its end; resolves to its output. Throws when it fails. */
export async function node(args: readonly string[], env: Readonly<Record<string, string>>): Promise<string> {
  const child = spawn(process.execPath, args, {
    env: { PATH: process.env['PATH'] ?? '', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  let errors = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => (output += text))
  child.stderr.setEncoding('utf8').on('data', (text: string) => (errors += text))
  const [code] = await once(child, 'close')
  if (code !== 0) throw new Error(`node ${args.join(' ')} ended with ${code}:\n${errors}`)
  return output
}

export interface StartedProgram extends AsyncDisposable {
  readonly pid: number
  /** What the pattern found in its output. */
  readonly found: string
}

/** Starts a program of Node and waits until a line of its output, or all of it so far, is as the pattern says. */
export async function startProgram(
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  pattern: RegExp,
): Promise<StartedProgram> {
  const child = spawn(process.execPath, args, {
    env: { PATH: process.env['PATH'] ?? '', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const ended = once(child, 'close')
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  let told = ''
  const look = (line: string) => {
    told += `${line}\n`
    const found = (pattern.exec(line) ?? pattern.exec(told))?.[1]
    if (found !== undefined) resolve(found)
  }
  createInterface(child.stdout).on('line', look)
  createInterface(child.stderr).on('line', look)
  ended.then(() => reject(new Error(`${args.join(' ')} ended:\n${told}`))).catch(reject)
  return {
    found: await promise,
    pid: child.pid ?? -1,
    async [Symbol.asyncDispose]() {
      child.kill('SIGTERM')
      await ended
    },
  }
}

/** What a process holds in memory now. */
export async function residentBytes(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8')
  return Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1] ?? Number.NaN) * 1024
}

/** The most that a process has held in memory since `forgetPeak`. */
export async function peakBytes(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8')
  return Number(/^VmHWM:\s+(\d+) kB/m.exec(status)?.[1] ?? Number.NaN) * 1024
}

/** From now on `peakBytes` tells of what comes. */
export async function forgetPeak(pid: number): Promise<void> {
  await writeFile(`/proc/${pid}/clear_refs`, '5')
}

/** Processor time that a process has used so far, its threads' included, ms. */
export async function processorMs(pid: number): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8')
  // What follows the name; a tick is a hundredth of a second on every Linux that Node runs on.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return (Number(fields[11]) + Number(fields[12])) * 10
}
