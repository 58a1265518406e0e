import { phrase, words } from './pattern.ts'
import type { InjectionPattern } from './pattern.ts'

/** A variable that holds a credential, as a shell or a program names it. */
const secretVariable =
  '(?:\\$\\{?|process\\.env\\.?\\[?["\']?|os\\.environ(?:\\.get)?[\\[(]?["\']?|env\\[["\']|%|\\{\\{\\s?)\\w{0,60}(?:key|token|secret|password|passwd|credentials?|api)\\w{0,40}'
/** Files that hold credentials. */
const secretFile =
  '(?:\\.env(?!\\.(?:example|sample|template))\\b|\\.netrc\\b|\\.pgpass\\b|\\.git-credentials\\b|\\.aws(?:/credentials)?\\b|\\.ssh/(?!config|authorized_keys|known_hosts|\\w{1,40}\\.pub)|id_(?:rsa|ed25519|ecdsa)\\b(?!\\.pub)|\\.gnupg\\b|\\.kube/config\\b|auth\\.json\\b|\\.npmrc\\b|\\.docker/config|/etc/shadow\\b)'
const secretFileWords: readonly string[] = words(
  '.env|.netrc|.pgpass|.git-credentials|.aws|.ssh|id_|.gnupg|.kube|auth.json|.npmrc|.docker|/etc/shadow',
)
const send = '(?:curl|wget|https?|nc|ncat|netcat|socat|telnet|scp|rsync|ftp|invoke-webrequest|iwr|invoke-restmethod)'

/** Ways to hand secrets or the conversation to somebody else. */
export const exfiltrationPatterns: readonly InjectionPattern[] = [
  {
    id: 'exfil_pipe',
    hints: [['ssh '], ['|'], ['~', '$home', '.ssh', '.gnupg', '.aws']],
    pattern: /(?:~|\$home|\.ssh|\.gnupg|\.aws)[^\n|]{0,120}\|\s{0,3}ssh\s[^\n]{0,40}@[^\n]{0,60}>/,
    kinds: ['context', 'skill', 'memory', 'page'],
  },
  {
    // All of the environment in the body of a request, not one variable of it.
    id: 'exfil_environment',
    hints: [
      ['os.environ', 'process.env'],
      ['post', 'urlopen', 'fetch', 'request'],
    ],
    pattern:
      /\b(?:requests\.post|httpx\.post|axios\.post|urlopen|urllib\.request\.request|fetch)\([^;]{0,200}(?:\bdict\(os\.environ\)|json\.dumps\((?:dict\()?os\.environ\b|json\.stringify\(process\.env\)|\.\.\.process\.env\b)/,
  },
  {
    // In the address or the body; a header is how a key is used, not given away.
    id: 'exfil_curl',
    hints: [['curl']],
    pattern: new RegExp(`\\bcurl\\b[^\\n]{0,300}?https?://[^\\s"'\`]{0,200}${secretVariable}`),
    kinds: ['context', 'skill', 'memory', 'page'],
  },
  {
    id: 'exfil_curl',
    hints: [['curl', 'wget']],
    pattern: new RegExp(
      `\\b(?:curl|wget)\\b[^\\n]{0,200}?(?:-d|-F|-T|--data(?:-\\w{1,12})?|--form|--upload-file|--post-(?:data|file)|--body-file)[\\s=]{0,3}["']?[^\\s"']{0,60}(?:${secretVariable}|\\$\\((?:env|printenv|set|cat)\\b|@?[~/.\\w-]{0,80}${secretFile})`,
      '',
    ),
    kinds: ['context', 'skill', 'memory', 'page'],
  },
  {
    id: 'exfil_wget',
    hints: [['wget']],
    pattern: new RegExp(`\\bwget\\b[^\\n]{0,300}?https?://[^\\s"'\`]{0,200}${secretVariable}`),
    kinds: ['context', 'skill', 'memory', 'page'],
  },
  {
    id: 'exfil_pipe',
    hints: [['|'], ['env', ...secretFileWords]],
    pattern: new RegExp(
      `(?:\\b(?:env|printenv)\\b|\\b(?:cat|base64|tar|zip|gzip|xxd|openssl|gpg)\\b[^\\n|]{0,120}${secretFile}[^\\n|]{0,60})\\s{0,3}\\|[^\\n]{0,120}\\b${send}\\s`,
      '',
    ),
  },
  {
    id: 'read_secrets',
    hints: [secretFileWords],
    pattern: new RegExp(
      `\\b(?:cat|less|head|tail|type|print|show|copy|paste|output|read|display|include|reveal|send|post|upload|mail|append|publish|put)\\b[^\\n.]{0,80}(?:contents? of )?[^\\n\\s]{0,40}${secretFile}[^\\n]{0,60}\\b(?:answer|reply|response|output|channel|chat|message|https?://|link|commit|issue|e-?mail|support)`,
      '',
    ),
    kinds: ['context', 'skill', 'memory', 'page'],
  },
  {
    id: 'read_secrets',
    hints: [['cat'], secretFileWords],
    pattern: new RegExp(`\\bcat\\s[^\\n|>&;]{0,200}${secretFile}(?![^\\n]{0,20}>)`),
    kinds: ['context', 'memory', 'page'],
  },
  {
    id: 'exfil_secrets',
    hints: [['key', 'variable', 'env', 'secret', 'credential', 'password', 'token']],
    pattern: phrase(
      `\\b(?:send|post|upload|forward|transmit|submit|leak|exfiltrate|publish|share|e-?mail|export|collect|list|print|reveal|dump|disclose|output|append|include|show me|give)\\b[^\\n.]{0,40}\\b(?:all (?:of )?)?(?:(?:your|the|every|any|all|its|their|hidden|stored|secret) ){1,3}(?:api keys?|environment variables?|env vars?|secrets|credentials|passwords?|private keys?|access tokens?|session tokens?|auth tokens?|ssh keys?|keys you)\\b(?! (?:to|in|into) (?:the )?(?:ci|vault|keychain|settings|1password))`,
    ),
    kinds: ['context', 'skill', 'page', 'memory'],
  },
  {
    id: 'prompt_leak',
    hints: [
      ['prompt', 'instructions'],
      ['hidden', 'secret', 'internal', 'confidential'],
    ],
    kinds: ['context', 'skill', 'memory', 'page'],
    pattern: phrase(
      `\\b(?:your|the|its|my) (?:hidden|secret|internal|confidential) (?:system )?(?:prompt|instructions)\\b`,
    ),
  },
  {
    id: 'exfil_secrets',
    hints: [
      ['value', 'content'],
      ['key', 'token', 'secret', 'password'],
    ],
    kinds: ['page', 'memory'],
    pattern:
      /\b(?:value|contents?)\s{1,3}of\s{1,3}(?:(?:the|your|an?|any)\s{1,3}){0,2}(?:environment\s{1,3}variables?|env\s{1,3}vars?|variables?|secrets?|api\s{1,3}keys?)?\W{0,3}\w{0,40}(?:keys?|tokens?|secrets?|password)\b[^\n]{0,60}\b(?:you|your|machine)\b/,
  },
  {
    id: 'exfil_files',
    hints: [secretFileWords],
    kinds: ['context', 'skill', 'memory', 'page'],
    pattern: new RegExp(
      `${secretFile}[^]{0,160}?\\b(?:post|send|upload|push|forward|mail|transmit|submit)\\b[^\\n]{0,60}(?:https?://|\\bto \\S{1,60}@)|\\b(?:push|send|upload|post|mirror|forward|sync|back up|copy)\\b[^\\n]{0,80}[\\s/~]${secretFile}[^\\n]{0,60}\\bto\\b[^\\n]{0,20}(?:https?://|@|s3://|ftp://)`,
      '',
    ),
  },
  {
    id: 'exfil_pipe',
    hints: [
      ['env', ...secretFileWords],
      ['curl', 'wget', 'iwr', 'irm', 'invoke-', 'requests', 'fetch'],
    ],
    pattern: new RegExp(
      `\\b(?:curl|wget|iwr|irm|invoke-(?:restmethod|webrequest)|requests\\.post|fetch)\\b[^\\n]{0,160}(?:get-childitem env:|gci env:|ls env:|dir env:|\\$\\((?:env|printenv|set)\\)|\\$\\(cat [^\\n)]{0,80}${secretFile})|(?:get-childitem|gci|ls|dir) env:[^\\n]{0,120}\\b(?:invoke-(?:restmethod|webrequest)|irm|iwr|curl)\\b`,
      '',
    ),
  },
  {
    id: 'exfil_secrets',
    hints: [
      ['<', '?', '&'],
      ['key', 'token', 'secret', 'password', 'conversation', 'chat'],
    ],
    pattern:
      /<(?:the |your )?(?:api[ _-]?key|token|secret|password|conversation|chat history)[^<>\n]{0,60}>[^\n]{0,80}\b(?:ask|click|open|visit|send)\b|[?&]\w{1,20}=(?:<|\{|\[)?(?:the )?(?:api key|secret|token)[^\n]{0,60}\b(?:click|open)\b/,
    kinds: ['context', 'skill', 'memory', 'page'],
  },
  {
    id: 'exfil_beacon',
    minds: 'case',
    hints: [['](']],
    pattern:
      /!?\[[^\]\n]{0,200}\]\(\s{0,3}https?:\/\/[^)\s]{0,300}[?&/=](?:\{{1,2}|<|\[|\$\{|%7B|BASE64|base64_|SECRET|CONVERSATION|CHAT|HISTORY|PROMPT|MEMORY|YOUR_|DATA_HERE|ENCODED)[^)\n]{0,200}\)/u,
    kinds: ['context', 'skill', 'memory', 'page'],
  },
  {
    id: 'exfil_beacon',
    hints: [
      ['conversation', 'history', 'prompt', 'token', 'key', 'memory', 'user'],
      ['http', 'link', 'url', 'image', 'picture'],
    ],
    pattern: phrase(
      `\\b(?:append|include|add|insert|render|embed|end your (?:answer|reply)|put|export)\\b[^\\n]{0,120}\\b(?:conversation|chat history|system prompt|session token|api key|memory|user[’']s? (?:name|e-?mail|data))\\b[^\\n]{0,120}(?:https?://|\\b(?:link|url|image|picture)\\b)`,
    ),
    kinds: ['context', 'skill', 'memory', 'page'],
  },
  {
    id: 'exfil_dns',
    hints: [['nslookup', 'dig', 'host', 'ping', 'resolvectl']],
    pattern: new RegExp(
      `\\b(?:nslookup|dig|host|ping|getent\\s{1,3}hosts|resolvectl\\s{1,3}query)\\b[^\\n\`]{0,80}(?:\\$\\([^\\n)]{1,120}\\)\\.|\`[^\\n\`]{1,120}\`\\.[a-z]|${secretVariable}\\}?\\.)`,
      '',
    ),
  },
  {
    id: 'exfil_code',
    hints: [
      ['requests', 'urlopen', 'fetch', 'axios', 'http'],
      ['environ', 'process.env'],
    ],
    pattern: new RegExp(
      `(?:requests\\.(?:post|get|put)|urlopen|fetch|axios(?:\\.\\w{3,6})?|http\\.(?:post|get))\\(\\s{0,5}f?["'\`]https?://[^\\n]{0,200}(?:(?:data|json|params|body)\\s{0,3}[=:][^\\n]{0,80}(?:os\\.environ|process\\.env)|json\\.stringify\\(process\\.env\\)|dict\\(os\\.environ\\)|\\+[^\\n]{0,60}(?:os\\.environ|process\\.env))`,
      '',
    ),
    kinds: ['context', 'skill', 'memory', 'page'],
  },
  {
    id: 'prompt_leak',
    hints: [['above', 'before', 'prior', 'prompt', 'verbatim', 'definitions']],
    pattern: phrase(
      `\\b(?:repeat|reveal|print|show|output|display|disclose|leak|tell me|write out|recite|dump)\\b(?: (?:me|us|back|all|everything|verbatim|out|in full|to the \\w{1,12})){0,3} ?(?:(?:everything|all|the (?:text|words|content|lines?)) (?:of |that is |written )?(?:above|before|prior)\\b[^\\n]{0,60}|(?:(?:the|your|its|his|hidden|full|whole|entire|original|secret|initial|of|and|configuration) ){1,5}(?:system )?(?:prompt|instructions? verbatim|tool definitions)\\b)`,
    ),
    kinds: ['context', 'skill', 'memory', 'page'],
  },
  {
    id: 'exfil_copy',
    hints: [
      ['whenever', 'time', 'always'],
      ['without', 'secretly', 'silently', 'not', 'never'],
    ],
    pattern: phrase(
      `\\b(?:whenever|every time|each time|always)\\b[^\\n]{0,120}\\b(?:send|forward|copy|post|upload|bcc|mirror)\\b[^\\n]{0,120}\\b(?:without|secretly|silently|do not|never)\\b`,
    ),
  },
]
