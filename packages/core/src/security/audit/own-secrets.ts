/** Secrets that people make up themselves, to let others in; services make the rest. */
export const ownSecrets = [
  'API_SERVER_KEY',
  'WEBHOOK_SECRET',
  'GATEWAY_PROXY_KEY',
  'TELEGRAM_WEBHOOK_SECRET',
  'BLUEBUBBLES_PASSWORD',
  'FEISHU_VERIFICATION_TOKEN',
  'FEISHU_ENCRYPT_KEY',
] as const

/** Fewer characters can be tried out, and fewer kinds of characters are no secret. */
const minLength = 16
const minDifferent = 6

/** Why a secret that lets people in is weak; undefined for a good one. */
export function weaknessOf(secret: string): string | undefined {
  if (/^(?:change[-_ ]?me|secret|password|passw0rd|test|admin|token|hermes|letmein|example|12345)/i.test(secret)) {
    return 'it is a word that is tried first'
  }
  if (secret.length < minLength) return `it has ${secret.length} characters; ${minLength} are the least`
  return new Set(secret).size < minDifferent ? 'it is made of a few characters only' : undefined
}

/** How to make one. */
export function ownSecret(name: string): string {
  return `hermes config set ${name} "$(openssl rand -hex 32)"`
}
