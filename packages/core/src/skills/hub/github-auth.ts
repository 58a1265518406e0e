import { createSign } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { z } from 'zod'
import type { Environment } from '../../agent/context.ts'
import { HubError } from './hub-error.ts'
import { parseJson, requireOk } from './web.ts'
import type { Web } from './web.ts'

export interface GitHubAuthOptions {
  readonly environment: Environment
  readonly apiUrl: string
  readonly web: Web
  readonly now: () => number
}

/**
 * A token for GitHub: `GITHUB_TOKEN`, `GH_TOKEN`, or one of the GitHub App that `GITHUB_APP_ID`,
 * `GITHUB_APP_PRIVATE_KEY_PATH` and `GITHUB_APP_INSTALLATION_ID` name. Undefined: requests go without one, of which
 * GitHub takes 60 an hour. https://docs.github.com/en/rest/authentication
 */
export async function gitHubToken(options: GitHubAuthOptions, signal: AbortSignal): Promise<string | undefined> {
  const { environment } = options
  const token = environment['GITHUB_TOKEN'] || environment['GH_TOKEN']
  if (token) return token.trim()
  const appId = environment['GITHUB_APP_ID']
  const keyPath = environment['GITHUB_APP_PRIVATE_KEY_PATH']
  const installation = environment['GITHUB_APP_INSTALLATION_ID']
  if (!appId || !keyPath || !installation) return undefined
  if (!/^\d+$/.test(installation)) throw new HubError('auth', 'GITHUB_APP_INSTALLATION_ID is not a number.')
  const assertion = await appAssertion(appId, keyPath, options.now())
  const answer = await options.web.send(
    {
      url: `${options.apiUrl}/app/installations/${installation}/access_tokens`,
      headers: { authorization: `Bearer ${assertion}`, accept: 'application/vnd.github+json' },
      json: {},
    },
    signal,
  )
  return parseJson(requireOk(answer, 'token for this GitHub App'), z.object({ token: z.string() })).token
}

/** A signed token of the app itself; GitHub wants the clock to be right to a minute. */
async function appAssertion(appId: string, keyPath: string, now: number): Promise<string> {
  const seconds = Math.floor(now / 1000)
  const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
  const body = `${encode({ alg: 'RS256', typ: 'JWT' })}.${encode({ iat: seconds - 60, exp: seconds + 540, iss: appId })}`
  try {
    const key = await readFile(keyPath, 'utf8')
    return `${body}.${createSign('RSA-SHA256').update(body).sign(key, 'base64url')}`
  } catch (error) {
    throw new HubError('auth', `The key of the GitHub App cannot be used: ${keyPath}`, { cause: error })
  }
}
