import { readFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { z } from 'zod'
import type { Environment } from '../agent/context.ts'
import type { Home } from '../config/home.ts'
import { writePrivateFile } from '../config/private-file.ts'
import type { JsonRecord } from './auth-file.ts'
import { instantMs } from './cooldown.ts'
import { jwtClaims } from './jwt-claims.ts'
import type { GrantStore, KeptGrant } from './grant.ts'
import { resourceUrl } from './oauth/tokens.ts'

/** A file of another program, or of our own, that holds one grant. */
export interface GrantFile {
  readonly provider: string
  /** `source` of the pool's entry that shows it. */
  readonly source: string
  readonly title: string
  path(places: Places): string
  /** Undefined when there is no grant in it. */
  parse(content: JsonRecord): KeptGrant | undefined
  /** The content with another grant in it; everything else stays. */
  merge(content: JsonRecord, grant: KeptGrant, nowMs: number): JsonRecord
}

export interface Places {
  readonly home: Home
  readonly environment: Environment
}

const text = z.string().min(1)
const optionalText = z.string().nullish().catch(undefined)
const optionalInstant = z.union([z.string(), z.number()]).nullish().catch(undefined)

const camelSchema = z.looseObject({
  accessToken: text,
  refreshToken: optionalText,
  expiresAt: optionalInstant,
  scopes: z.array(z.string()).nullish().catch(undefined),
  // Ours, when the sign-in was made with other than the usual ones.
  clientId: optionalText,
  portalBaseUrl: optionalText,
})

function fromCamel(value: unknown): KeptGrant | undefined {
  const parsed = camelSchema.safeParse(value)
  if (!parsed.success) return undefined
  const { accessToken, refreshToken, expiresAt, scopes, clientId, portalBaseUrl } = parsed.data
  return {
    accessToken,
    refreshToken: refreshToken || undefined,
    expiresAtMs: instantMs(expiresAt),
    scope: scopes?.join(' ') || undefined,
    clientId: clientId || undefined,
    server: portalBaseUrl || undefined,
  }
}

function toCamel(content: unknown, grant: KeptGrant): JsonRecord {
  const kept = isRecord(content) ? content : {}
  const { accessToken, refreshToken, expiresAtMs, clientId, server } = grant
  return {
    ...kept,
    accessToken,
    refreshToken: refreshToken ?? null,
    expiresAt: expiresAtMs ?? null,
    ...(clientId !== undefined && { clientId }),
    ...(server !== undefined && { portalBaseUrl: server }),
  }
}

const codexSchema = z.looseObject({
  tokens: z.looseObject({ access_token: text, refresh_token: optionalText }),
  last_refresh: optionalText,
})

const qwenSchema = z.looseObject({
  access_token: text,
  refresh_token: optionalText,
  expiry_date: optionalInstant,
  token_type: optionalText,
  resource_url: optionalText,
})

/** `.anthropic_oauth.json` of the home: Hermes's own sign-in to Anthropic. */
export const hermesPkceFile: GrantFile = {
  provider: 'anthropic',
  source: 'hermes_pkce',
  title: 'Hermes sign-in',
  path: ({ home }) => home.path('.anthropic_oauth.json'),
  parse: fromCamel,
  merge: toCamel,
}

export const claudeCodeFile: GrantFile = {
  provider: 'anthropic',
  source: 'claude_code',
  title: 'Claude Code',
  path: ({ environment }) => join(userFolder(environment), '.claude', '.credentials.json'),
  parse: (content) => fromCamel(content['claudeAiOauth']),
  merge: (content, grant) => ({ ...content, claudeAiOauth: toCamel(content['claudeAiOauth'], grant) }),
}

export const codexCliFile: GrantFile = {
  provider: 'openai-codex',
  source: 'device_code',
  title: 'Codex CLI',
  path: ({ environment }) =>
    join(environment['CODEX_HOME']?.trim() || join(userFolder(environment), '.codex'), 'auth.json'),
  parse: (content) => {
    const parsed = codexSchema.safeParse(content)
    if (!parsed.success) return undefined
    const { access_token: accessToken, refresh_token: refreshToken } = parsed.data.tokens
    const exp = jwtClaims(accessToken)?.['exp']
    return { accessToken, refreshToken: refreshToken || undefined, expiresAtMs: instantMs(Number(exp)) }
  },
  merge: (content, { accessToken, refreshToken }, nowMs) => {
    const tokens = isRecord(content['tokens']) ? content['tokens'] : {}
    return {
      ...content,
      tokens: { ...tokens, access_token: accessToken, refresh_token: refreshToken ?? null },
      last_refresh: new Date(nowMs).toISOString(),
    }
  },
}

export const qwenCliFile: GrantFile = {
  provider: 'qwen-oauth',
  source: 'manual:qwen_cli',
  title: 'Qwen Code',
  path: ({ environment }) => join(userFolder(environment), '.qwen', 'oauth_creds.json'),
  parse: (content) => {
    const parsed = qwenSchema.safeParse(content)
    if (!parsed.success) return undefined
    const { access_token: accessToken, refresh_token: refreshToken, expiry_date: expiry, ...more } = parsed.data
    return {
      accessToken,
      refreshToken: refreshToken || undefined,
      expiresAtMs: instantMs(expiry),
      tokenType: more.token_type || undefined,
      inferenceUrl: resourceUrl(more.resource_url),
    }
  },
  merge: (content, { accessToken, refreshToken, expiresAtMs }) => ({
    ...content,
    access_token: accessToken,
    refresh_token: refreshToken ?? null,
    expiry_date: expiresAtMs ?? null,
  }),
}

/** The grant that a file holds now; undefined when there is none. */
export async function readGrantFile(file: GrantFile, places: Places): Promise<KeptGrant | undefined> {
  return file.parse((await readJson(file.path(places))) ?? {})
}

/** The file as the place that owns its grant. */
export function grantFileStore(file: GrantFile, places: Places, now: () => number): GrantStore {
  const path = file.path(places)
  return {
    key: `${file.source}@${path}`,
    title: `${file.title} (${path})`,
    read: () => readGrantFile(file, places),
    write: async (grant) => {
      const content = file.merge((await readJson(path)) ?? {}, grant, now())
      await writePrivateFile(path, `${JSON.stringify(content, null, 2)}\n`)
    },
  }
}

/** Undefined when there is no such file, or it is no JSON object. */
async function readJson(path: string): Promise<JsonRecord | undefined> {
  try {
    const value: unknown = JSON.parse(await readFile(path, 'utf8'))
    return isRecord(value) ? value : undefined
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    if (error instanceof Error && 'code' in error && unreadable.has(String(error.code))) return undefined
    throw error
  }
}

const unreadable: ReadonlySet<string> = new Set(['ENOENT', 'ENOTDIR', 'EACCES', 'EISDIR'])

function userFolder(environment: Environment): string {
  return environment['HOME'] || homedir()
}

function isRecord(value: unknown): value is JsonRecord {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
