import { createHash } from 'node:crypto'
import { mkdir, readFile, readdir, rm } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import type { Environment } from '@hermes/core/agent/context.ts'
import { openHome } from '@hermes/core/config/home.ts'
import { writeFileAtomic } from '@hermes/core/storage/atomic-write.ts'
import { withFileLock } from '@hermes/core/storage/file-lock.ts'
import { isRunning, startTicks } from '@hermes/core/terminals/process-identity.ts'
import { z } from 'zod'
import { PlatformError } from './platform-error.ts'

/** Upstream's record of who uses an account. */
const record = z.looseObject({
  pid: z.int().positive(),
  start_time: z.union([z.number(), z.string()]).nullish(),
  kind: z.string().optional(),
  metadata: z.looseObject({ home: z.string().optional() }).optional(),
})

/** Who has an account only for as long as a message takes. */
const senderKind = 'hermes-send'

/** How long a process that only sends is waited for, and how often it is looked, ms. */
const [sendingMs, lookMs] = [30_000, 100]

/**
 * Claims an account of a service for this process, over all profiles of this machine: `scope` as upstream names it
 * (`telegram-bot-token`), `identity` the token, of which only a hash is kept; `use` says for how long. Throws `PlatformError`
 * `conflict` where another process that lives has it; one that only sends is waited for. Resolves to what gives it back.
 */
export async function claimAccount(
  scope: string,
  identity: string,
  environment: Environment,
  use: 'stay' | 'send' = 'stay',
): Promise<() => Promise<void>> {
  const folder = lockFolder(environment)
  const hash = createHash('sha256').update(identity).digest('hex').slice(0, 16)
  const path = join(folder, `${scope}-${hash}.lock`)
  await mkdir(folder, { recursive: true, mode: 0o700 })
  // Processes look one after the other; the file of this lock stays, the record goes.
  const guard = join(folder, '.claims')
  const until = performance.now() + sendingMs
  const claim = async () => {
    const held = await readRecord(path)
    if (held && held.pid !== process.pid && isRunning(held.pid, held.start_time?.toString())) {
      if (held.kind === senderKind && performance.now() < until) return false
      throw new PlatformError(
        'conflict',
        `Process ${held.pid} on this machine uses the same account (${scope})${ofHome(held)}. Stop it, or give this one an account of its own.`,
      )
    }
    const ticks = startTicks(process.pid)
    const own = {
      pid: process.pid,
      kind: use === 'send' ? senderKind : 'hermes-gateway',
      argv: process.argv,
      start_time: ticks === undefined ? null : Number(ticks),
      scope,
      identity_hash: hash,
      metadata: { home: openHome(environment).dir },
      updated_at: new Date().toISOString(),
    }
    await writeFileAtomic(path, JSON.stringify(own), { mode: 0o600 })
    return true
  }
  while (!(await withFileLock(guard, claim))) await wait(lookMs)
  return () =>
    withFileLock(guard, async () => {
      if ((await readRecord(path))?.pid === process.pid) await rm(path, { force: true })
    })
}

/** An account that a process of this machine has claimed. */
export interface AccountLock {
  readonly scope: string
  readonly pid: number
  /** The home of the profile that it is for, where that is known. */
  readonly home?: string
  /** False: what a process that died has left, which is in nobody's way. */
  readonly isHeld: boolean
}

/** All that are claimed on this machine, by whichever profile. */
export async function accountLocks(environment: Environment): Promise<readonly AccountLock[]> {
  const folder = lockFolder(environment)
  const names = (await namesIn(folder)).filter((name) => /-[0-9a-f]{16}\.lock$/.test(name))
  const locks = await Promise.all(
    names.map(async (name): Promise<readonly AccountLock[]> => {
      const held = await readRecord(join(folder, name))
      if (!held) return []
      const { pid, start_time: started, metadata } = held
      const scope = name.replace(/-[0-9a-f]{16}\.lock$/, '')
      const isHeld = isRunning(pid, started?.toString())
      return [{ scope, pid, isHeld, ...(metadata?.home !== undefined && { home: metadata.home }) }]
    }),
  )
  return locks.flat()
}

async function namesIn(folder: string): Promise<readonly string[]> {
  try {
    return await readdir(folder)
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return []
    throw error
  }
}

function ofHome({ metadata }: z.infer<typeof record>): string {
  return metadata?.home === undefined ? '' : `, the gateway of ${metadata.home}`
}

function lockFolder(environment: Environment): string {
  if (environment['HERMES_GATEWAY_LOCK_DIR']) return environment['HERMES_GATEWAY_LOCK_DIR']
  const state = environment['XDG_STATE_HOME'] || join(environment['HOME'] || homedir(), '.local', 'state')
  return join(state, 'hermes', 'gateway-locks')
}

/** An empty or broken record is nobody's. */
async function readRecord(path: string): Promise<z.infer<typeof record> | undefined> {
  try {
    return record.safeParse(JSON.parse(await readFile(path, 'utf8'))).data
  } catch (error) {
    if (error instanceof SyntaxError || (error instanceof Error && 'code' in error && error.code === 'ENOENT')) {
      return undefined
    }
    throw error
  }
}
