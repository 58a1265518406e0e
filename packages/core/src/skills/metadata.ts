import { z } from 'zod'

/** An environment variable that a skill works with. */
export interface SkillVariable {
  readonly name: string
  /** What to ask a person. */
  readonly prompt: string
  /** Where to get it: a sentence or an address. */
  readonly help: string | undefined
  readonly requiredFor: string | undefined
  readonly optional: boolean
}

/** A setting that a skill reads from `skills.config.<key>`. */
export interface SkillSetting {
  readonly key: string
  readonly description: string
  readonly default: unknown
  readonly prompt: string | undefined
}

/** When a skill is listed: `requires`: all of these are there; `fallbackFor`: none of these is. */
export interface SkillConditions {
  readonly requiresToolsets: readonly string[]
  readonly requiresTools: readonly string[]
  readonly fallbackForToolsets: readonly string[]
  readonly fallbackForTools: readonly string[]
}

/** What a SKILL.md says of itself. */
export interface SkillMetadata {
  readonly name: string
  readonly description: string
  readonly version: string | undefined
  readonly author: string | undefined
  readonly license: string | undefined
  readonly compatibility: string | undefined
  /** `macos`, `linux`, `windows`; empty: everywhere. */
  readonly platforms: readonly string[]
  readonly tags: readonly string[]
  readonly relatedSkills: readonly string[]
  readonly conditions: SkillConditions
  readonly variables: readonly SkillVariable[]
  /** Programs that must be on the PATH. */
  readonly commands: readonly string[]
  /** Paths under the home that sandboxes need. */
  readonly credentialFiles: readonly string[]
  readonly settings: readonly SkillSetting[]
  readonly setupHelp: string | undefined
  /** The `metadata` field as it stands. */
  readonly metadata: Readonly<Record<string, unknown>> | undefined
}

// Written by anybody: what cannot be understood counts as absent.

const word = z.preprocess(
  (value) => (typeof value === 'number' || typeof value === 'boolean' ? String(value) : value),
  z.string().trim(),
)
const optionalWord = word.optional().catch(undefined)
const words = z
  .preprocess((value) => (typeof value === 'string' ? value.split(/[,\s]+/).filter(Boolean) : value), z.array(word))
  .catch([])
const looseList = z.array(z.unknown()).catch([])
const map = z.record(z.string(), z.unknown())

const hermes = z
  .looseObject({
    tags: words,
    related_skills: words,
    requires_toolsets: words,
    requires_tools: words,
    fallback_for_toolsets: words,
    fallback_for_tools: words,
    config: looseList,
  })
  .partial()
  .catch({})

const schema = z.looseObject({
  name: optionalWord,
  description: optionalWord,
  version: optionalWord,
  author: optionalWord,
  license: optionalWord,
  compatibility: optionalWord,
  platforms: words,
  tags: words,
  related_skills: words,
  required_environment_variables: z.preprocess((value) => (typeof value === 'string' ? [value] : value), looseList),
  required_credential_files: z.preprocess((value) => (typeof value === 'string' ? [value] : value), looseList),
  setup: z.looseObject({ help: optionalWord, collect_secrets: looseList }).partial().catch({}),
  prerequisites: z.looseObject({ env_vars: words, commands: words }).partial().catch({}),
  metadata: map.optional().catch(undefined),
})

const variable = z.looseObject({
  name: optionalWord,
  env_var: optionalWord,
  prompt: optionalWord,
  help: optionalWord,
  provider_url: optionalWord,
  url: optionalWord,
  required_for: optionalWord,
  optional: z.boolean().catch(false),
})

const setting = z.looseObject({
  key: z.string().regex(/^[\w-]+(\.[\w-]+)*$/),
  description: word,
  default: z.unknown(),
  prompt: optionalWord,
})

const variableName = /^[A-Za-z_][A-Za-z0-9_]*$/

/** Reads the fields of a SKILL.md. `fallbackName` (its folder's) is used where it names none. */
export function skillMetadata(fields: Readonly<Record<string, unknown>>, fallbackName: string): SkillMetadata {
  const raw = schema.parse(fields)
  const own = hermes.parse(raw.metadata?.['hermes'] ?? {})
  return {
    name: raw.name || fallbackName,
    description: raw.description ?? '',
    version: raw.version,
    author: raw.author,
    license: raw.license,
    compatibility: raw.compatibility,
    platforms: raw.platforms.map((platform) => platform.toLowerCase()),
    tags: unique([...(own.tags ?? []), ...raw.tags]),
    relatedSkills: unique([...(own.related_skills ?? []), ...raw.related_skills]),
    conditions: {
      requiresToolsets: own.requires_toolsets ?? [],
      requiresTools: own.requires_tools ?? [],
      fallbackForToolsets: own.fallback_for_toolsets ?? [],
      fallbackForTools: own.fallback_for_tools ?? [],
    },
    variables: variables([
      ...raw.required_environment_variables,
      ...(raw.setup.collect_secrets ?? []),
      ...(raw.prerequisites.env_vars ?? []),
    ]),
    commands: raw.prerequisites.commands ?? [],
    credentialFiles: raw.required_credential_files.flatMap(credentialFile),
    settings: (own.config ?? []).flatMap((one) => {
      const parsed = setting.safeParse(one)
      return parsed.success ? [{ ...pick(parsed.data), default: parsed.data.default }] : []
    }),
    setupHelp: raw.setup.help,
    metadata: raw.metadata,
  }
}

function pick({ key, description, prompt }: z.infer<typeof setting>): Omit<SkillSetting, 'default'> {
  return { key, description, prompt }
}

function variables(raw: readonly unknown[]): SkillVariable[] {
  const found = new Map<string, SkillVariable>()
  for (const one of raw) {
    const parsed = variable.safeParse(typeof one === 'string' ? { name: one } : one)
    const name = parsed.data?.name ?? parsed.data?.env_var
    if (!parsed.data || !name || !variableName.test(name) || found.has(name)) continue
    const { prompt, help, provider_url, url, required_for, optional } = parsed.data
    found.set(name, {
      name,
      prompt: prompt ?? `Value of ${name}`,
      help: help ?? provider_url ?? url,
      requiredFor: required_for,
      optional,
    })
  }
  return [...found.values()]
}

function credentialFile(raw: unknown): string[] {
  const path = typeof raw === 'string' ? raw : map.safeParse(raw).data?.['path']
  if (typeof path !== 'string' || path === '' || path.startsWith('/') || path.split('/').includes('..')) return []
  return [path]
}

function unique(list: readonly string[]): string[] {
  return [...new Set(list)]
}
