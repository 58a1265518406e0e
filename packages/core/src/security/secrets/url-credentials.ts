import type { HideRule } from './rule.ts'

/** `scheme://user:password@host`; the last `@` before the path ends the password. */
const userInfo = /(:\/\/[^\s:/?#@"'<>«]{0,128}:)([^\s/?#"'<>«]{1,256})@/g

/** Parts of an address that let its bearer in. */
const query =
  /([?&;](?:api[_-]?key|access[_-]?key|access_token|refresh_token|id_token|auth_token|token|auth|password|passwd|pwd|secret|client_secret|signature|sig|key|x-amz-signature|x-amz-security-token|x-goog-signature)=)([^\s&#"'<>«;]{6,})/gi

/** Addresses that are themselves the secret: who knows one may post. */
const webhook =
  /(hooks\.slack\.com\/(?:services|workflows|triggers)\/|discord(?:app)?\.com\/api\/webhooks\/\d{1,24}\/|\.webhook\.office\.com\/webhookb2\/)([A-Za-z0-9_@/-]{16,})/g

/** Passwords and tokens in URLs and connection strings. */
export const hideUrlCredentials: HideRule = (text, hide) => {
  if (!text.includes('://') && !text.includes('=') && !text.includes('.com/')) return text
  return text
    .replace(userInfo, (whole, head: string, password: string) =>
      isReference(password) ? whole : `${head}${hide(password)}@`,
    )
    .replace(query, (whole, head: string, value: string) =>
      isReference(value) || isWord(value) ? whole : head + hide(value),
    )
    .replace(webhook, (_, head: string, token: string) => head + hide(token))
}

/** A variable or a place to fill in, not a value: `$PASS`, `${PASS}`, `{password}`, `<password>`, `***`. */
function isReference(value: string): boolean {
  return /^(?:\$|%|\{|\*+$|\.+$|x{3,}$|password$|pass$)/i.test(value)
}

/** `?key=name` and `&token=next` choose something; secrets have digits in them. */
function isWord(value: string): boolean {
  return /^[A-Za-z_.,%-]+$/.test(value) || (/^\d+$/.test(value) && value.length < 12)
}
