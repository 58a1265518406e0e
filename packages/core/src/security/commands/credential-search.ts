import { unknown } from './fields.ts'
import type { Invocation } from './invocation.ts'

/** Names of files that hold credentials, also as a pattern or an expression. */
const credentialName =
  /(?:^|[/*.\\^])(?:\\?\.env(?!\w|[\w.*-]*(?:example|sample|template|dist))|id_(?:rsa|dsa|ecdsa|ed25519|\*|\.\*)(?!\.pub)|auth\.json|credentials|\.netrc|\.pgpass|\.npmrc|\.pypirc|\.git-credentials|\.ssh|\.hermes|\.aws|\.gnupg|\.kube|shadow|[\w*-]*\.(?:pem|key|p12|pfx|keytab))(?:\$|\*|\/|\.\*|\.\w+|$)/i

/** Longest name or pattern that is looked into, characters. */
const longestName = 1000

/** Programs that tell nothing of what is in a file. */
const onlyNames =
  /^(?:echo|printf|ls|stat|file|basename|dirname|realpath|readlink|chmod|chown|chgrp|test|\[|wc|du|touch|rm|unlink|find|fd|fdfind|xargs|parallel|sudo|env|sh|bash|zsh|dash|ksh|nice|nohup|timeout|time|md5sum|sha1sum|sha256sum|sort|head|tail|uniq|git|mkdir|rmdir|true|:|pwd|cd|exit|tee|tr)$/

/** Whether a search looks for files with credentials. */
export function findsCredentials({ name, args }: Invocation): boolean {
  if (name !== 'find' && name !== 'fd' && name !== 'fdfind') return false
  const runs = args.findIndex(({ text }) => /^(?:-exec|-execdir|-ok|-okdir|-x|-X|--exec|--exec-batch)$/.test(text))
  const search = runs === -1 ? args : args.slice(0, runs)
  return search.some(({ text }, index) => {
    if (text.length > longestName) return true
    const isExcluded = /^(?:!|-not|-E|--exclude)$/.test(search[index - 2]?.text ?? search[index - 1]?.text ?? '')
    return !isExcluded && credentialName.test(text)
  })
}

/** Whether a call gives out what is in files that a search found. */
export function givesOutFound({ name, args }: Invocation): boolean {
  const takesFound = args.some(({ text }) => text.includes(unknown))
  if (!takesFound) return false
  return /^(?:head|tail|sort|uniq|tee)$/.test(name) || !onlyNames.test(name)
}
