import type { HideRule } from './rule.ts'

const tokenHeaders =
  '(?:proxy-)?authorization|(?:x-)?api-key|x-goog-api-key|x-auth-token|x-access-token|x-api-token|private-token|x-vault-token|x-github-token|x-csrf-token|x-amz-security-token'
const between = '\\\\?["\']?[ \\t]{0,4}[:=][ \\t]{0,4}\\\\?["\'`]?'

/** A header with one token, as HTTP, JSON and command lines write it. Its scheme stays. */
const tokenHeader = new RegExp(
  `(?<![\\w-])((?:${tokenHeaders})${between}((?:bearer|basic|token|bot|apikey|key|negotiate)[ \\t]{1,4})?)([^\\s"'\`«\\\\,;]{4,8192})`,
  'gi',
)

/** Schemes whose value is a list, with quotes in it: hidden to the end of the line. */
const listScheme = new RegExp(
  `(?<![\\w-])((?:proxy-)?authorization${between}(?:digest|aws4-hmac-sha256|oauth)[ \\t]{1,4})([^\\s«][^\\r\\n«]{3,8192})`,
  'gi',
)

/** Cookies, to the end of the line or the quote. */
const cookie = new RegExp(`(?<![\\w-])((?:set-)?cookie${between})([^\\s"'\`«\\\\][^\\r\\n"'\`«\\\\]{3,8192})`, 'gi')

/** The scheme and the token alone, as people quote them. */
const bearer = /(?<![\w-])(bearer[ \t]{1,4})([A-Za-z0-9_~+/.=-]{12,8192})/gi

/** `curl -u name:password`, within a line that calls it. */
const webClient = /\b(?:curl|wget)\b[^\r\n]{0,8192}/g
const userOption = /([ \t](?:-u|--user|--proxy-user)[ =]{1,2}["']?[^\s:"'«]{1,64}:)([^\s"'«]{3,256})/g

/** A line of `.netrc`. */
const netrc = /(\blogin[ \t]{1,4}[^\s«]{1,64}[ \t]{1,4}password[ \t]{1,4})([^\s«]{3,256})/g

/** Credentials in headers and on command lines. */
export const hideHeaders: HideRule = (text, hide) => {
  const hideList = (whole: string, head: string, list: string) =>
    list.includes('=') && !isReference(list) ? head + hide(list) : whole
  const hidePassword = (whole: string, head: string, password: string) =>
    isReference(password) ? whole : head + hide(password)
  return text
    .replace(tokenHeader, (whole, head: string, scheme: string | undefined, token: string) => {
      const isToken = !isReference(token) && (scheme !== undefined || /\d/.test(token))
      return isToken ? head + hide(token) : whole
    })
    .replace(listScheme, hideList)
    .replace(cookie, hideList)
    .replace(bearer, (whole, head: string, token: string) => (/\d/.test(token) ? head + hide(token) : whole))
    .replace(webClient, (line) => line.replace(userOption, hidePassword))
    .replace(netrc, hidePassword)
}

/** A variable, a call or a place to fill in, not a value. */
function isReference(value: string): boolean {
  return /^(?:\$[A-Za-z_{(]|%[A-Za-z{]|\{|<|\*{3}|\.\.\.|…|\[)/.test(value) || value.includes('${')
}
