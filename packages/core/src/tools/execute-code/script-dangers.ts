import type { Danger } from '../../security/consent/consent.ts'

export type ScriptLanguage = 'python' | 'javascript'

/** Under which consent to such scripts is kept. */
export const scriptDanger: Danger = { key: 'script that can do more than use tools', permanent: true }

/** Longest script that is looked through, characters. */
const longestJudged = 100_000

/**
 * Whether a script wants to do more than compute, print and call tools, whose calls are asked about by themselves. Every
 * word of it is looked at, since what is not plainly harmless needs consent; a script that is found harmless runs where
 * it can do nothing else (see `guard.ts`).
 */
export function scriptDangers(code: string, language: ScriptLanguage): readonly Danger[] {
  const isHarmless =
    code.length <= longestJudged &&
    !deceiving.test(code) &&
    !sensitivePath.test(code) &&
    (language === 'python' ? isHarmlessPython(code) : isHarmlessJavascript(code))
  return isHarmless ? [] : [scriptDanger]
}

/** Characters that change how text looks, or look like nothing. */
// oxlint-disable-next-line no-control-regex
const deceiving = /[\u202a-\u202e\u2066-\u2069\u200b\u2060\ufeff\u00ad\x00-\x08\x0e-\x1f]/

const sensitivePath =
  /\.ssh\b|\.env\b|\.aws\b|\.gnupg|\.netrc|\.pgpass|\.npmrc|\.pypirc|\.kube|\.hermes\b|authorized_keys|id_(?:rsa|ed25519|ecdsa)|\/etc\/|\/proc\/|\/sys\/|\.bashrc|\.profile|\.zshrc/i

const pythonModules = new Set(
  'hermes_tools json re math cmath datetime calendar collections itertools functools statistics string textwrap random time hashlib hmac base64 binascii typing dataclasses decimal fractions numbers uuid enum copy operator heapq bisect unicodedata pprint zlib difflib html urllib.parse fnmatch zoneinfo ipaddress graphlib'.split(
    ' ',
  ),
)

/** Names that reach beyond the script: other programs, files, the network, code made at run time. */
const pythonBeyond =
  /\b(?:eval|exec|compile|importlib|globals|locals|vars|getattr|setattr|delattr|open|input|breakpoint|marshal|pickle|ctypes|runpy|socket|subprocess|os|sys|io|shutil|pathlib|signal|threading|multiprocessing|asyncio|builtins|inspect|request|requests|codecs|attrgetter|methodcaller|get_type_hints|make_dataclass|Formatter|get_field)\b|__(?!(?:name|main)__)\w+|\._\w|\bimport\s+_|,\s*_\w+\s*$|\b(?:f|cr|gi|tb|co)_\w+\b/m

function isHarmlessPython(code: string): boolean {
  const bare = withoutPythonText(code)
  if (bare === undefined || pythonBeyond.test(bare)) return false
  return bare.split(/[\n;]/).every((line) => {
    const from = /^\s*from\s+([\w.]+)\s+import\b/.exec(line)
    const plain = /^\s*import\s+(.+)$/.exec(line)
    if (!from && !plain) return !/^\s*(?:from|import)\b/.test(line)
    const modules = from ? [from[1]] : (plain?.[1] ?? '').split(',').map((one) => one.trim().split(/\s+/)[0])
    return modules.every((name) => pythonModules.has(name ?? ''))
  })
}

/** The code without comments and string literals but f-strings; undefined where that cannot be told. */
function withoutPythonText(code: string): string | undefined {
  const token =
    /#[^\n]*|\b([bBrRuUfFtT]{0,2})("""[\s\S]*?"""|'''[\s\S]*?'''|"(?:\\[\s\S]|[^"\\\n])*"|'(?:\\[\s\S]|[^'\\\n])*')|("""[\s\S]*?"""|'''[\s\S]*?'''|"(?:\\[\s\S]|[^"\\\n])*"|'(?:\\[\s\S]|[^'\\\n])*')|["']/g
  let isBroken = false
  const bare = code.replaceAll(token, (whole: string, prefix?: string, prefixed?: string, plain?: string) => {
    if (whole.startsWith('#')) return ''
    if (prefixed === undefined && plain === undefined) {
      isBroken = true
      return ''
    }
    return /[ft]/i.test(prefix ?? '') ? whole : ' "" '
  })
  return isBroken ? undefined : bare
}

const javascriptModules = new Set(['hermes_tools', 'node:util', 'node:url', 'node:path', 'node:assert'])

const javascriptBeyond =
  /\b(?:eval|Function|constructor|prototype|process|globalThis|global|require|fetch|WebSocket|XMLHttpRequest|EventSource|WebAssembly|Worker|Reflect|Proxy|module|getBuiltinModule|fs|child_process|net|http|https|vm|dgram|dns|tls|worker_threads|inspector)\b|\bimport\s*[.(]|__\w+__|\\[ux]|\[\s*["'`][^\]]*["'`]\s*\+/

/** Strings and comments are looked at too: where one begins cannot be told without reading the language. */
function isHarmlessJavascript(code: string): boolean {
  const withoutAddresses = code.replaceAll(/https?:\/\//g, '//')
  if (javascriptBeyond.test(withoutAddresses)) return false
  const imports = [...code.matchAll(/\b(?:import|export)\b(?:[^'"`;]*?\bfrom)?\s*(['"])([^'"\n]*)\1/g)]
  const count = code.match(/\bimport\b/g)?.length ?? 0
  return imports.length === count && imports.every(([, , name]) => javascriptModules.has(name ?? ''))
}
