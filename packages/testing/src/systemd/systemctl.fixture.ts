import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { appendFileSync, cpSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'

const [folder = '', ...words] = process.argv.slice(2)
const at = (...parts: readonly string[]) => join(folder, ...parts)
const read = (name: string) => (existsSync(at(name)) ? readFileSync(at(name), 'utf8') : undefined)
const unitFolder = join(process.env['HOME'] ?? '', '.config', 'systemd', 'user')

/** A unit as it was when it was last loaded. */
class Unit {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
  all(key: string): readonly string[] {
    return this.text.split('\n').flatMap((line) => (line.startsWith(`${key}=`) ? line.slice(key.length + 1) : []))
  }
  one(key: string): string {
    return this.all(key)[0] ?? ''
  }
}

function wordsOf(line: string): readonly string[] {
  return [...line.matchAll(/"((?:[^"\\]|\\.)*)"|(\S+)/g)].map(([, quoted, bare = '']) =>
    (quoted ?? bare)
      .replaceAll(/\\(.)/g, '$1')
      .replaceAll('%%', '%')
      .replaceAll('$$', () => '$'),
  )
}

function isAlive(pid: string | undefined): boolean {
  try {
    return pid !== undefined && process.kill(Number(pid), 0)
  } catch {
    return false
  }
}

async function supervise(unit: Unit): Promise<void> {
  const variables = unit.all('Environment').map((line) => {
    const [word = ''] = wordsOf(line)
    return [word.slice(0, word.indexOf('=')), word.slice(word.indexOf('=') + 1)] as const
  })
  const env = { HOME: process.env['HOME'] ?? '', ...Object.fromEntries(variables) }
  const codes = (key: string) => unit.one(key).split(' ')
  for (let starts = 0; starts < Number(unit.one('StartLimitBurst')); starts++) {
    const command = ['-c', 'SYSTEMD_EXEC_PID=$$ exec "$@"', 'sh', ...wordsOf(unit.one('ExecStart'))]
    const child = spawn('/bin/sh', command, { env, cwd: unit.one('WorkingDirectory'), stdio: ['ignore', 'ignore', 2] })
    writeFileSync(at('main.pid'), String(child.pid))
    const [code, signal] = (await once(child, 'exit')) as [number | null, string | null]
    appendFileSync(at('exits'), `${code ?? signal}\n`)
    rmSync(at('main.pid'), { force: true })
    const isClean = code === 0 || signal === 'SIGTERM' || codes('SuccessExitStatus').includes(String(code))
    const isForced = codes('RestartForceExitStatus').includes(String(code))
    const isPrevented = codes('RestartPreventExitStatus').includes(String(code))
    if (existsSync(at('stopping')) || (isClean && !isForced)) return writeFileSync(at('result'), 'success')
    if (isPrevented) return writeFileSync(at('result'), 'exit-code')
    await wait(50)
  }
  writeFileSync(at('result'), 'start-limit-hit')
}

async function start(name: string): Promise<void> {
  const unit = read(join('loaded', name))
  if (unit === undefined) {
    process.stderr.write(`Failed to start ${name}: Unit ${name} not found.\n`)
    process.exitCode = 5
    return
  }
  if (isAlive(read('supervisor.pid'))) return
  rmSync(at('stopping'), { force: true })
  rmSync(at('result'), { force: true })
  const child = spawn(process.execPath, [import.meta.filename, folder, 'supervise', name], {
    detached: true,
    stdio: ['ignore', 'ignore', 'ignore'],
  })
  writeFileSync(at('supervisor.pid'), String(child.pid))
  child.unref()
}

async function stop(): Promise<void> {
  writeFileSync(at('stopping'), '')
  const [main, supervisor] = [read('main.pid'), read('supervisor.pid')]
  if (isAlive(main)) process.kill(Number(main), 'SIGTERM')
  while (isAlive(supervisor)) await wait(20)
}

function load(): void {
  rmSync(at('loaded'), { recursive: true, force: true })
  if (existsSync(unitFolder)) cpSync(unitFolder, at('loaded'), { recursive: true })
}

const [verb, name = ''] = words.filter((word) => !word.startsWith('--'))
if (verb !== 'supervise') appendFileSync(at('calls'), `${words.join(' ')}\n`)
if (verb === 'supervise') await supervise(new Unit(read(join('loaded', name)) ?? ''))
if (verb === 'daemon-reload') load()
if (verb === 'enable') writeFileSync(at('enabled'), '')
if (verb === 'disable') rmSync(at('enabled'), { force: true })
if (verb === 'stop' || verb === 'restart' || words.includes('--now')) await stop()
if (verb === 'start' || verb === 'restart') await start(name)
if (verb === 'show') {
  const isActive = isAlive(read('supervisor.pid'))
  const result = read('result') ?? 'success'
  const state = isActive ? ['active', 'running'] : result === 'success' ? ['inactive', 'dead'] : ['failed', 'failed']
  process.stdout.write(`ActiveState=${state[0]}\nSubState=${state[1]}\nResult=${result}\n`)
  process.stdout.write(`UnitFileState=${existsSync(at('enabled')) ? 'enabled' : 'disabled'}\n`)
}
