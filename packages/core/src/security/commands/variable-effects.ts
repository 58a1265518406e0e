import { isKnown } from './fields.ts'
import { isRunSetting } from './git-code.ts'

/** What giving a variable a value can do. */
export interface VariableEffects {
  /** Commands that some program runs. */
  readonly texts: readonly string[]
  /** Texts in which a shell performs substitutions. */
  readonly evaluated: readonly string[]
  readonly dangers: readonly string[]
}

/** The key of what makes another program run under a name than everybody expects, or code inside it. */
export const changedProgram = 'change of what a command runs'

const commandNames =
  /^(?:PROMPT_COMMAND|GIT_SSH_COMMAND|GIT_SSH|GIT_EXTERNAL_DIFF|GIT_PROXY_COMMAND|(?:GIT_|MAN|SYSTEMD_|AWS_|GH_|BAT_|DELTA_)?PAGER|(?:GIT_|GIT_SEQUENCE_|SUDO_|FC)?(?:EDITOR|EDIT)|VISUAL|GIT_ASKPASS|SSH_ASKPASS|SUDO_ASKPASS|BROWSER|LESSOPEN|LESSCLOSE|RSYNC_RSH|CVS_RSH|TAR_RSH|(?:npm_config|NPM_CONFIG)_(?:script_shell|SCRIPT_SHELL|editor|EDITOR|git|GIT))$/
/** Values that become text of a prompt or a trace, after substitutions. */
const promptNames = /^(?:PS[0-4]|PROMPT|RPROMPT)$/
/** What loads code into every program, or into every shell. */
const loaderNames =
  /^(?:LD_PRELOAD|LD_AUDIT|DYLD_INSERT_LIBRARIES|BASH_ENV|ZDOTDIR|PYTHONSTARTUP|PERL5DB|GIT_EXEC_PATH|GIT_TEMPLATE_DIR|GIT_CONFIG_PARAMETERS|GCONV_PATH|BASH_FUNC_.*)$/
/** Where interpreters look for code of others, and settings that name programs. */
const codePathNames =
  /^(?:PYTHONPATH|PYTHONHOME|PYTHONUSERBASE|PERL5LIB|PERLLIB|RUBYLIB|NODE_PATH|CLASSPATH|LUA_PATH|LUA_CPATH|GIT_CONFIG(?:_GLOBAL|_SYSTEM)?|OPENSSL_CONF)$/
const libraryNames = /^(?:LD|DYLD)_(?:FALLBACK_)?LIBRARY_PATH$/
/** Whether a text that becomes arithmetic, or the name of a variable, would run something. */
export function hasLiveSubscript(text: string): boolean {
  const subscript = text.search(/\w\[/)
  return subscript !== -1 && /\$[({]|`/.test(text.slice(subscript))
}

/** What a variable's new value can do. */
export function variableEffects(name: string, value: string, userHome: string): VariableEffects {
  const isCommand = commandNames.test(name) && isKnown(value)
  const isEvaluated = promptNames.test(name) || hasLiveSubscript(value)
  return {
    texts: isCommand ? [value.replace(/^[|!]-?/, '')] : [],
    evaluated: isEvaluated ? [value] : [],
    dangers: changesPrograms(name, value, userHome) ? [changedProgram] : [],
  }
}

function changesPrograms(name: string, value: string, userHome: string): boolean {
  if (value === '') return false
  if (loaderNames.test(name)) return true
  if (libraryNames.test(name) || name === 'PATH') return namesUnusualFolder(value, userHome)
  // Also what many programs call their mode: `ENV=production`. What a shell reads is rather a path.
  if (name === 'ENV') return /[/.~$`]/.test(value)
  if (name === 'NODE_OPTIONS') return /(?:^|\s)(?:-r|--require|--import|--(?:experimental-)?loader)/.test(value)
  if (codePathNames.test(name)) return /(?:^|[:;])\/(?:tmp|var\/tmp|dev\/shm)(?:\/|[:;]|$)/.test(value)
  if (/^(?:JAVA_TOOL_OPTIONS|_JAVA_OPTIONS|JDK_JAVA_OPTIONS|MAVEN_OPTS|GRADLE_OPTS)$/.test(name))
    return /-(?:javaagent|agentpath|agentlib|Xbootclasspath)|-XX:On(?:Error|OutOfMemoryError)=/.test(value)
  if (name === 'PERL5OPT' || name === 'RUBYOPT') return /-[^wW\s]/.test(value)
  return /^GIT_CONFIG_KEY_\d+$/.test(name) && (isRunSetting(value) || !isKnown(value))
}

/** Whether a search path looks into a folder that anybody may fill, before the usual ones. */
function namesUnusualFolder(path: string, userHome: string): boolean {
  for (const folder of path.split(':')) {
    // What the variable was before, or a folder of some tool.
    if (!isKnown(folder.slice(0, 1)) && folder !== '') return false
    if (/^\/(?:usr\/(?:local\/)?)?s?bin\/?$/.test(folder)) return false
    if (!isUsualFolder(folder, userHome)) return true
  }
  return false
}

function isUsualFolder(folder: string, userHome: string): boolean {
  if (/(?:^|\/)\.\.(?:\/|$)/.test(folder)) return false
  if (/^\/(?:usr|opt|bin|sbin|lib\w*|snap|nix|home\/linuxbrew)(?:\/|$)/.test(folder)) return true
  if (/(?:^|\/)(?:node_modules\/\.bin|\.?venv\/bin|vendor\/bin)\/?$/.test(folder))
    return !/^\/(?:tmp|var|dev)\//.test(folder)
  const inHome = folder.startsWith(`${userHome}/`) ? folder.slice(userHome.length + 1) : /^~\/(.*)$/.exec(folder)?.[1]
  return inHome !== undefined && /^\.(?!cache\/|\/)|(?:^|\/)(?:bin|shims|sbin|lib|lib64)\/?$/.test(inHome)
}
