import { constants } from 'node:fs'
import { access, mkdir, readFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { z } from 'zod'
import type { Environment } from '../../agent/context.ts'
import type { Home } from '../../config/home.ts'
import { writePrivateFile } from '../../config/private-file.ts'
import { withFileLock } from '../../storage/file-lock.ts'
import { tokenHash } from '../entry.ts'

/** Locks there are: two grants that share one wait for each other, and nothing else. */
const shelves = 8
/** Tokens remembered on each shelf; older ones have long been replaced. */
const rememberedPerShelf = 64

const shelfSchema = z.array(z.object({ token: z.string(), at: z.number() }))

/**
 * Which refresh tokens were sent to be renewed: by any process of this user, in any home. A provider that rotates its
 * tokens takes each one once, and ends the whole grant when it sees one again; so a token is written down (its hash)
 * before it is sent. When a process dies before it could keep the answer, the token stays on the list, and no other
 * process sends it again.
 */
export interface SpentTokens {
  /** Runs `fn` while no other process renews the grant that this refresh token belongs to. */
  locked<T>(refreshToken: string, fn: (record: TokenRecord) => Promise<T>, timeoutMs: number): Promise<T>
}

/** The list, while its lock is held. */
export interface TokenRecord {
  has(refreshToken: string): Promise<boolean>
  add(refreshToken: string): Promise<void>
  /** The token turned out not to be spent. */
  remove(refreshToken: string): Promise<void>
}

export interface SpentTokensOptions {
  readonly home: Home
  readonly environment: Environment
  readonly now: () => number
}

export function openSpentTokens({ home, environment, now }: SpentTokensOptions): SpentTokens {
  return {
    locked: async (refreshToken, fn, timeoutMs) => {
      const folder = await writableFolder(join(stateFolder(environment), 'hermes', 'oauth'), home.path('oauth'))
      const path = join(folder, `shelf-${Number.parseInt(tokenHash(refreshToken).slice(0, 8), 16) % shelves}.json`)
      return withFileLock(path, () => fn(recordIn(path, now)), { timeoutMs })
    },
  }
}

/** `folder`, or `otherwise` where the first cannot be written: in a container, often only the home can. */
async function writableFolder(folder: string, otherwise: string): Promise<string> {
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 })
    await access(folder, constants.W_OK)
    return folder
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined
    if (code !== 'EACCES' && code !== 'EROFS' && code !== 'EPERM' && code !== 'ENOTDIR') throw error
    return otherwise
  }
}

/** One user's, whichever home is in use: the homes of two profiles may hold copies of one grant. */
function stateFolder(environment: Environment): string {
  return environment['XDG_STATE_HOME'] || join(environment['HOME'] || homedir(), '.local', 'state')
}

function recordIn(path: string, now: () => number): TokenRecord {
  const change = async (edit: (tokens: z.infer<typeof shelfSchema>) => z.infer<typeof shelfSchema>): Promise<void> => {
    const tokens = edit(await readShelf(path)).slice(-rememberedPerShelf)
    await writePrivateFile(path, `${JSON.stringify(tokens)}\n`)
  }
  return {
    has: async (token) => (await readShelf(path)).some((one) => one.token === tokenHash(token)),
    add: (token) => change((tokens) => [...tokens, { token: tokenHash(token), at: now() }]),
    remove: (token) => change((tokens) => tokens.filter((one) => one.token !== tokenHash(token))),
  }
}

async function readShelf(path: string): Promise<z.infer<typeof shelfSchema>> {
  let text: string
  try {
    text = await readFile(path, 'utf8')
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return []
    throw error
  }
  return parseShelf(text)
}

/** A list that was damaged from outside is begun anew, rather than stand in the way of every renewal. */
function parseShelf(text: string): z.infer<typeof shelfSchema> {
  try {
    return shelfSchema.catch([]).parse(JSON.parse(text))
  } catch (error) {
    if (error instanceof SyntaxError) return []
    throw error
  }
}
