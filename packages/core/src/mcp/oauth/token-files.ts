import { rm } from 'node:fs/promises'
import { z } from 'zod'
import type { StoredOAuthClientInformation, StoredOAuthTokens } from '@modelcontextprotocol/client'
import type { Home } from '../../config/home.ts'
import { writePrivateFile } from '../../config/private-file.ts'
import { readIfThere } from '../../config/read-if-there.ts'

const tokens = z.looseObject({
  access_token: z.string().min(1),
  token_type: z.string().default('Bearer'),
  expires_in: z.number().nullish().transform(dropNull),
  scope: z.string().nullish().transform(dropNull),
  refresh_token: z.string().nullish().transform(dropNull),
  /** Ours: when the access token ends, seconds since the epoch. */
  expires_at: z.number().nullish().transform(dropNull).catch(undefined),
})

const client = z.looseObject({
  client_id: z.string().min(1),
  client_secret: z.string().nullish().transform(dropNull),
  redirect_uris: z.array(z.string()).nullish().transform(dropNull),
})

export type KeptTokens = z.output<typeof tokens>
export type KeptClient = z.output<typeof client>

/** Where a server's sign-in is kept: `mcp-tokens/<server>.json` and `<server>.client.json`, both 0600. */
export interface TokenFiles {
  /** Path of the tokens, under whose lock they are renewed. */
  readonly path: string
  tokens(): KeptTokens | undefined
  saveTokens(tokens: StoredOAuthTokens): Promise<void>
  client(): KeptClient | undefined
  saveClient(client: StoredOAuthClientInformation): Promise<void>
  forget(what: 'tokens' | 'client' | 'all'): Promise<void>
}

export function tokenFiles(home: Home, server: string, now: () => number): TokenFiles {
  const name = fileName(server)
  const path = home.path('mcp-tokens', `${name}.json`)
  const clientPath = home.path('mcp-tokens', `${name}.client.json`)
  return {
    path,
    tokens: () => tokens.safeParse(readJson(path)).data,
    async saveTokens(given) {
      const { expires_in: seconds } = given
      const kept = {
        ...given,
        ...(seconds !== undefined && { expires_at: Math.floor(now() / 1000) + seconds }),
      }
      await writePrivateFile(path, `${JSON.stringify(kept, undefined, 2)}\n`)
    },
    client: () => client.safeParse(readJson(clientPath)).data,
    saveClient: (given) => writePrivateFile(clientPath, `${JSON.stringify(given, undefined, 2)}\n`),
    async forget(what) {
      if (what !== 'client') await rm(path, { force: true })
      if (what !== 'tokens') await rm(clientPath, { force: true })
    },
  }
}

/** The part of the files' names that stands for a server. */
function fileName(server: string): string {
  return (
    server
      .replaceAll(/[^\p{L}\p{N}_-]/gu, '_')
      .replaceAll(/^_+|_+$/g, '')
      .slice(0, 128) || 'default'
  )
}

function readJson(path: string): unknown {
  const text = readIfThere(path)?.toString('utf8')
  try {
    return text === undefined ? undefined : JSON.parse(text)
  } catch {
    // A file that another program has left broken counts as none: the person signs in again.
    return undefined
  }
}

function dropNull<Value>(value: Value | null | undefined): Value | undefined {
  return value ?? undefined
}
