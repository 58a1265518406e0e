// The words that say that a value is secret, as parts of regular expressions.

/** A value under such a name is secret, whatever it looks like. */
export const strongNames = [
  'api[_-]?keys?',
  '(?:secret[_-]?)?access[_-]?key',
  '(?:secret|private|signing|encryption|encrypt|aes|master|account|recovery)[_-]?key',
  '(?:client[_-]?|app[_-]?)?secret',
  'passwords?',
  'passwd',
  'passphrase',
  'pwd',
  '(?:access|refresh|auth|bot|api|oauth|session|bearer)[_-]?token',
].join('|')

/** A value under such a name may be secret: it must look so too. */
export const weakNames = 'token|credentials?|jwt|signature|webhook[_-]?url'

/** The same, for words that are parts of many others: not after another letter. */
export const weakWords = 'key|auth|pat|cookie|session[_-]?id'

/** What may follow such a name within the same name. */
export const nameEnding = '(?:[_-]?(?:value|b64|base64))?[_-]?\\d{0,3}'

const names = `(?:${strongNames}|${weakNames}|${weakWords}|authorization)[\\w-]{0,24}`

/** Such a name with what comes between it and its value, as data files, code and headers write it. */
export const namedStart = `${names}\\\\?["'\`]?[ \\t]{0,4}[:=]`

/** The same where the text ends before it can be told. */
export const namedStartSoFar = `${names}\\\\?["'\`]?[ \\t]{0,4}`

/** Such a name as an option, whose value is the next word. */
export const namedOption = `--[\\w-]{0,64}?${names}[ \\t]{1,4}`
