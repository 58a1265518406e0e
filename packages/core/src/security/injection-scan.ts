/** A kind of text that tries to steer the agent or to make it give secrets away. */
export interface InjectionPattern {
  readonly id: string
  readonly pattern: RegExp
}

/** What no text that is loaded into the prompt may hold. Every repetition is bounded, so that no text takes long. */
const promptPatterns: readonly InjectionPattern[] = [
  {
    id: 'prompt_injection',
    pattern:
      /\bignore\s{1,5}(?:(?:all|any|the|of|your|these)\s{1,5}){0,3}(?:previous|all|above|prior|earlier)\s{1,5}(?:\w{1,20}\s{1,5})?instructions?\b/i,
  },
  {
    id: 'deception_hide',
    pattern:
      /\b(?:do\s{1,5}not|don['’]t|never)\s{1,5}(?:tell|inform|show)\s{1,5}(?:this\s{1,5}to\s{1,5})?the\s{1,5}(?:user|human|owner)\b/i,
  },
  {
    id: 'sys_prompt_override',
    pattern:
      /\b(?:system\s{1,5}prompt\s{1,5}override|override\s{1,5}(?:the\s{1,5}|your\s{1,5})?system\s{1,5}prompt)\b/i,
  },
  {
    id: 'disregard_rules',
    pattern:
      /\b(?:disregard|forget)\s{1,5}(?:(?:all|any|of|your|the|previous|prior)\s{1,5}){1,4}(?:instructions?|rules|guidelines)\b/i,
  },
  {
    id: 'bypass_restrictions',
    pattern:
      /\bact\s{1,5}as\s{1,5}(?:if|though)\s{1,5}(?:you\s{1,5}(?:have|had)\s{1,5}no|you\s{1,5}(?:do\s{1,5}not|don['’]t)\s{1,5}have(?:\s{1,5}any)?|there\s{1,5}(?:are|were)\s{1,5}no)\s{1,5}(?:restrictions|limits|limitations|rules)\b/i,
  },
  {
    id: 'html_comment_injection',
    pattern: /<!--[^>]{0,500}?\b(?:ignore|override|system|secret|hidden)\b[^>]{0,500}?-->/i,
  },
  {
    id: 'hidden_div',
    pattern: /<\s{0,5}(?:div|span|p)\b[^>]{0,300}?style\s{0,5}=[^>]{0,300}?display\s{0,5}:\s{0,5}none/i,
  },
  { id: 'translate_execute', pattern: /\btranslate\s.{1,200}?\sinto\s.{1,200}?\sand\s{1,5}(?:execute|run|eval)\b/i },
  { id: 'exfil_curl', pattern: /\bcurl\s[^\n]{0,500}?\$\{?\w{0,60}(?:KEY|TOKEN|SECRET|PASSWORD|CREDENTIAL|API)/i },
  { id: 'read_secrets', pattern: /\bcat\s[^\n]{0,300}?(?:\.env\b|credentials\b|\.netrc\b|\.pgpass\b)/i },
]

/** What may stand in a project's own files, but not in memory, where it would be a standing order. */
const memoryPatterns: readonly InjectionPattern[] = [
  { id: 'role_hijack', pattern: /\byou\s{1,5}are\s{1,5}now\s{1,5}(?:an?|the|my|in|free|no\s{1,5}longer)\b/i },
  { id: 'exfil_wget', pattern: /\bwget\s[^\n]{0,500}?\$\{?\w{0,60}(?:KEY|TOKEN|SECRET|PASSWORD|CREDENTIAL|API)/i },
  { id: 'ssh_backdoor', pattern: /\bauthorized_keys\b/i },
  { id: 'ssh_access', pattern: /(?:\$\{?HOME\}?|~|\/root|\/home\/[\w.-]{1,60})\/\.ssh\b/i },
  { id: 'hermes_env', pattern: /(?:\$\{?HERMES_HOME\}?|(?:\$\{?HOME\}?|~)\/\.hermes)\/\.env\b/i },
]

/** Zero-width and direction marks, which show people another text than the model reads. */
const invisible = /[\u200B-\u200D\u2060\uFEFF\u202A-\u202E\u2066-\u2069\u{E0000}-\u{E007F}]/u

/** Joiners that a script or an emoji sequence needs are no disguise. */
const properJoiners =
  /(?<=[\p{Script=Arabic}\p{Script=Devanagari}\p{Script=Bengali}\p{Script=Tamil}\p{Script=Telugu}\p{Script=Kannada}\p{Script=Malayalam}\p{Script=Sinhala}\p{Script=Khmer}\p{Script=Mongolian}\p{M}])[\u200C\u200D]|(?<=[\p{Extended_Pictographic}\p{Emoji_Modifier}\uFE0F])\u200D(?=\p{Extended_Pictographic})/gu

/** Ids of what a text that enters the prompt (context file, hint) holds and must not; empty for a harmless one. */
export function scanPromptText(text: string): string[] {
  return scan(text, promptPatterns)
}

/** The same for an entry of the memory files. */
export function scanMemoryText(text: string): string[] {
  return scan(text, [...promptPatterns, ...memoryPatterns])
}

function scan(text: string, patterns: readonly InjectionPattern[]): string[] {
  const found = invisible.test(text.replaceAll(properJoiners, '')) ? ['invisible_unicode'] : []
  // Full-width and other compatibility forms read the same to a model.
  const plain = text.normalize('NFKC')
  return [...found, ...patterns.filter(({ pattern }) => pattern.test(plain)).map(({ id }) => id)]
}
