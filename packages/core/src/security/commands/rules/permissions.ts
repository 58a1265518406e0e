import type { Field } from '../fields.ts'
import { hasOption, readOptions } from '../invocation.ts'
import { keysOf, type Rule } from './rule.ts'

export const permissions: Rule = (call) => {
  if (call.name !== 'chmod' && call.name !== 'chown' && call.name !== 'chgrp') return []
  const options = readOptions(call.args, ['from'])
  const recursive = hasOption(options, 'R', 'recursive')
  const [first, ...files] = options.operands
  const mode = first?.text ?? ''
  const onSystem = recursive && files.some(isSystemFolder)
  if (call.name !== 'chmod') {
    const toRoot = call.name === 'chown' && /^(?:root|0|\+0)(?:$|[:.])/.test(mode)
    return keysOf({ 'recursive chown to root': recursive && toRoot, 'recursive change of a system folder': onSystem })
  }
  return keysOf({
    'world/other-writable permissions': mode.split(',').some(opensToAll),
    'set-user-id permissions': mode.split(',').some(setsUser),
    'recursive change of a system folder': onSystem,
  })
}

function opensToAll(clause: string): boolean {
  if (/^[0-7]{1,5}$/.test(clause)) return (Number(clause.at(-1)) & 2) !== 0
  return /^[ug]*[oa][ugoa]*[+=][rxXst]*w/.test(clause)
}

function setsUser(clause: string): boolean {
  if (/^0*[0-7]{4}$/.test(clause)) return (Number(clause.at(-4)) & 6) !== 0
  return /^[ugoa]*[+=][rwxXt]*s/.test(clause)
}

function isSystemFolder({ text }: Field): boolean {
  return (
    /^\/(?:[^/]*\/?|(?:usr|var|home|Users)\/[^/]*\/?)$/.test(text) &&
    !/^\/(?:tmp|workspace|app|data|srv|opt)\/?$/.test(text)
  )
}
