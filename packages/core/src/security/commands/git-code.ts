import type { Code } from './code.ts'
import type { Invocation } from './invocation.ts'
import { optionValues } from './option-values.ts'
import { gitSubcommand } from './rules/git.ts'

/** Options of subcommands whose value is a command. */
const commandOptions = {
  letters: '',
  long: [
    'exec',
    'upload-pack',
    'receive-pack',
    'extcmd',
    'sendmail-cmd',
    'to-cmd',
    'cc-cmd',
    'tree-filter',
    'index-filter',
    'msg-filter',
    'env-filter',
    'parent-filter',
    'commit-filter',
    'tag-name-filter',
    'open-files-in-pager',
  ],
}
/** Letters with the same meaning, by subcommand. */
const commandLetters: Readonly<Record<string, string>> = { rebase: 'x', difftool: 'x', clone: 'u', grep: 'O' }

/** `-c alias.x='!text'`, `config core.sshCommand text`, `submodule foreach text`, `rebase --exec text`. */
export function ofGit(call: Invocation): Code {
  const { subcommand, args, before } = gitSubcommand(call)
  const cloned = subcommand === 'clone' ? optionValues(args, { letters: 'c', long: ['config'] }) : []
  const settings = [...before.map(({ text }) => text), ...cloned].filter((text) => /^[\w.*-]+=/.test(text))
  const texts = settings.flatMap((setting) =>
    settingText(setting.slice(0, setting.indexOf('=')), setting.slice(setting.indexOf('=') + 1)),
  )
  const operands = args.filter(({ text }) => !text.startsWith('-')).map(({ text }) => text)
  if (subcommand === 'config') {
    const key = operands.findIndex((operand) => isRunSetting(operand))
    texts.push(...settingText(operands[key] ?? '', operands.slice(key + 1).join(' ')))
  }
  const rest = args
    .slice(1)
    .map(({ text }) => text)
    .join(' ')
  if (subcommand === 'submodule' && args[0]?.text === 'foreach') texts.push(rest.replace(/^--recursive /, ''))
  if (subcommand === 'bisect' && operands[0] === 'run') texts.push(rest)
  const letters = (Object.hasOwn(commandLetters, subcommand) && commandLetters[subcommand]) || ''
  texts.push(...optionValues(args, { ...commandOptions, letters }))
  for (const { text } of args) {
    const transport = /^ext::(.*)$/s.exec(text)?.[1]
    if (transport !== undefined) texts.push(transport.replaceAll('% ', ' '))
  }
  const dangers = before.some(({ text }) => /^--(?:exec-path=|config-env)/.test(text))
    ? ['change of what a command runs']
    : []
  return { texts: texts.map((text) => ({ type: 'text', text, strict: false })), dangers }
}

/** Whether the value of a setting of git is a command. */
export function isRunSetting(key: string): boolean {
  return /^core\.(?:sshcommand|pager|editor|fsmonitor|askpass|gitproxy)$|^sequence\.editor$|^gpg\..*program$|^interactive\.difffilter$|^(?:alias|pager|diff|merge|filter|credential|difftool|mergetool|browser|man|sendemail|trailer|uploadpack)\..*/i.test(
    key,
  )
}

function settingText(key: string, value: string): string[] {
  if (/^alias\./i.test(key)) return value.startsWith('!') ? [value.slice(1)] : []
  return isRunSetting(key) ? [value.replace(/^!/, '')] : []
}
