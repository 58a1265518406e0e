import { randomBytes } from 'node:crypto'
import { type Grants, type OAuthCounts, OAuthRefusal, provesChallenge } from './grants.ts'

export type Fields = Readonly<Record<string, string>>

/** What a request is for. */
export type Endpoint = 'token' | 'device-code' | 'codex-code' | 'codex-poll' | 'agent-key'

/** The paths under which the real providers have them, all at once. */
export const endpointPaths: Readonly<Record<string, Endpoint>> = {
  '/api/oauth/token': 'token',
  '/oauth/token': 'token',
  '/v1/oauth/token': 'token',
  '/api/v1/oauth2/token': 'token',
  '/login/oauth/access_token': 'token',
  '/api/oauth/device/code': 'device-code',
  '/api/v1/oauth2/device/code': 'device-code',
  '/login/device/code': 'device-code',
  '/api/accounts/deviceauth/usercode': 'codex-code',
  '/api/accounts/deviceauth/token': 'codex-poll',
  '/api/oauth/agent-key': 'agent-key',
}

interface Device {
  readonly deviceCode: string
  readonly userCode: string
  readonly challenge: string | undefined
  answer: 'pending' | 'approved' | 'denied' | 'expired'
}

interface Code {
  readonly challenge: string | undefined
  readonly redirect: string
}

export interface EndpointRules {
  /** Seconds between two polls that the server asks for. */
  readonly interval: number
  readonly deviceTtlSeconds: number
  readonly agentKeyTtlSeconds: number
  /** Where a person types the code. */
  readonly verifyUrl: () => string
  readonly inferenceUrl: string | undefined
}

/** The state of sign-ins that are going on, and what each endpoint answers. */
export class Endpoints {
  readonly #devices: Device[] = []
  readonly #codes = new Map<string, Code>()
  readonly #grants: Grants
  readonly #counts: OAuthCounts
  readonly #rules: EndpointRules

  constructor(grants: Grants, counts: OAuthCounts, rules: EndpointRules) {
    this.#grants = grants
    this.#counts = counts
    this.#rules = rules
  }

  /** The person's answer to a code that they were shown. */
  answer(userCode: string, answer: Device['answer']): void {
    const device = this.#devices.find((one) => one.userCode === userCode)
    if (!device) throw new Error(`there is no sign-in with the code ${userCode}`)
    device.answer = answer
  }

  /** A code for the browser's way back. Throws `OAuthRefusal` for a request that is not as RFC 7636 wants it. */
  authorize(query: URLSearchParams): string {
    this.#counts.authorizations += 1
    if (query.get('response_type') !== 'code') throw new OAuthRefusal('unsupported_response_type')
    if (query.get('code_challenge_method') !== 'S256') throw new OAuthRefusal('invalid_request', 'S256 is needed')
    const code = `made-up-code-${randomBytes(6).toString('hex')}`
    this.#codes.set(code, {
      challenge: query.get('code_challenge') ?? undefined,
      redirect: query.get('redirect_uri') ?? '',
    })
    return code
  }

  respond(endpoint: Endpoint, fields: Fields, authorization: string | undefined): unknown {
    if (endpoint === 'device-code') return this.#deviceCode(fields)
    if (endpoint === 'codex-code') return this.#codexCode()
    if (endpoint === 'codex-poll') return this.#codexPoll(fields)
    if (endpoint === 'agent-key') return this.#agentKey(authorization)
    return this.#token(fields)
  }

  #token(fields: Fields): unknown {
    const { grant_type: type } = fields
    if (type === 'refresh_token') return this.#grants.refresh(fields['refresh_token'] ?? '')
    if (type === 'authorization_code') return this.#exchange(fields)
    if (type === 'urn:ietf:params:oauth:grant-type:device_code') return this.#poll(fields)
    throw new OAuthRefusal('unsupported_grant_type')
  }

  #exchange({ code = '', code_verifier: verifier = '', redirect_uri: redirect }: Fields): unknown {
    const known = this.#codes.get(code)
    this.#codes.delete(code)
    if (!known || known.redirect !== redirect) throw new OAuthRefusal('invalid_grant', 'Unknown code')
    if (known.challenge !== undefined && !provesChallenge(verifier, known.challenge)) {
      throw new OAuthRefusal('invalid_grant', 'The verifier does not fit')
    }
    this.#counts.exchanges += 1
    return this.#grants.issue()
  }

  #newDevice(challenge?: string): Device {
    this.#counts.deviceCodes += 1
    const userCode = randomBytes(4).toString('hex').toUpperCase()
    const device: Device = { deviceCode: randomBytes(12).toString('hex'), userCode, challenge, answer: 'pending' }
    this.#devices.push(device)
    return device
  }

  #deviceCode({ client_id: client, code_challenge: challenge }: Fields): unknown {
    if (!client) throw new OAuthRefusal('invalid_client')
    const { deviceCode, userCode } = this.#newDevice(challenge)
    const { interval, deviceTtlSeconds, verifyUrl } = this.#rules
    return {
      device_code: deviceCode,
      user_code: userCode,
      verification_uri: verifyUrl(),
      verification_uri_complete: `${verifyUrl()}?user_code=${userCode}`,
      expires_in: deviceTtlSeconds,
      interval,
    }
  }

  #poll({ device_code: code, code_verifier: verifier = '' }: Fields): unknown {
    this.#counts.devicePolls += 1
    const device = this.#devices.find((one) => one.deviceCode === code)
    if (!device || device.answer === 'expired') throw new OAuthRefusal('expired_token')
    if (device.answer === 'pending') throw new OAuthRefusal('authorization_pending')
    if (device.answer === 'denied') throw new OAuthRefusal('access_denied')
    if (device.challenge !== undefined && !provesChallenge(verifier, device.challenge)) {
      throw new OAuthRefusal('invalid_grant', 'The verifier does not fit')
    }
    device.answer = 'expired'
    return this.#grants.issue()
  }

  #codexCode(): unknown {
    const { deviceCode, userCode } = this.#newDevice()
    return { device_auth_id: deviceCode, user_code: userCode, interval: String(this.#rules.interval) }
  }

  #codexPoll({ device_auth_id: id }: Fields): unknown {
    this.#counts.devicePolls += 1
    const device = this.#devices.find((one) => one.deviceCode === id)
    if (device?.answer !== 'approved') throw new OAuthRefusal('', '', device?.answer === 'pending' ? 403 : 400)
    const code = `made-up-code-${randomBytes(6).toString('hex')}`
    const verifier = randomBytes(32).toString('base64url')
    const redirect = new URL('/deviceauth/callback', this.#rules.verifyUrl()).href
    this.#codes.set(code, { challenge: undefined, redirect })
    return { authorization_code: code, code_verifier: verifier, code_challenge: 'unused' }
  }

  #agentKey(authorization: string | undefined): unknown {
    if (!this.#grants.isValid(authorization?.replace(/^Bearer /, '') ?? '')) {
      throw new OAuthRefusal('invalid_token', 'The access token is over', 401)
    }
    this.#counts.agentKeys += 1
    const { agentKeyTtlSeconds, inferenceUrl } = this.#rules
    return {
      api_key: `made-up-agent-key-${randomBytes(6).toString('hex')}`,
      key_id: randomBytes(4).toString('hex'),
      expires_in: agentKeyTtlSeconds,
      reused: false,
      ...(inferenceUrl !== undefined && { inference_base_url: inferenceUrl }),
    }
  }
}
