/** What the gateway tells the page of itself. */
export interface AppConfig {
  readonly protocol: 'mobile' | 'pheby'
}

/** What stays on the phone. */
export interface PhoneSettings {
  readonly token: string
  readonly deviceId: string
}

const tokenKey = 'hermes-token'
const deviceKey = 'hermes-device'

/** The token out of the address of a scanned code, which is taken out of it, or the one that is kept. */
export function readSettings(): PhoneSettings {
  const scanned = new URLSearchParams(location.hash.slice(1)).get('token')
  if (scanned) {
    localStorage.setItem(tokenKey, scanned)
    history.replaceState(null, '', location.pathname)
  }
  let deviceId = localStorage.getItem(deviceKey)
  if (!deviceId) {
    deviceId = `phone-${crypto.getRandomValues(new Uint32Array(2)).join('')}`
    localStorage.setItem(deviceKey, deviceId)
  }
  return { token: localStorage.getItem(tokenKey) ?? '', deviceId }
}

export function keepToken(token: string): void {
  localStorage.setItem(tokenKey, token)
}

export function forgetToken(): void {
  localStorage.removeItem(tokenKey)
}

/** Asks the gateway which protocol is spoken here. */
export async function readConfig(): Promise<AppConfig> {
  const response = await fetch('config.json')
  if (!response.ok) throw new Error('The gateway does not answer.')
  const { protocol } = (await response.json()) as { readonly protocol?: unknown }
  return { protocol: protocol === 'pheby' ? 'pheby' : 'mobile' }
}
