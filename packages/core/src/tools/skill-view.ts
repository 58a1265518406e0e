import { z } from 'zod'
import { loadEnvironment, saveVariable } from '../config/environment.ts'
import { askSecrets } from '../skills/ask-secrets.ts'
import type { SecretOutcome } from '../skills/ask-secrets.ts'
import { sessionSkills } from '../skills/face-of-session.ts'
import { findSkill } from '../skills/find-skill.ts'
import { linkedFiles } from '../skills/linked-files.ts'
import { readSkill, unsafeSkill } from '../skills/read-skill.ts'
import type { SkillDocument } from '../skills/read-skill.ts'
import { missingNeeds } from '../skills/readiness.ts'
import type { MissingNeeds } from '../skills/readiness.ts'
import { skillSettings } from '../skills/settings.ts'
import { SkillError } from '../skills/skill-error.ts'
import { homeSkillsFolder } from '../skills/skill-scope.ts'
import type { SkillScope } from '../skills/skill-scope.ts'
import { provenanceOf } from '../skills/store/provenance.ts'
import type { Provenance } from '../skills/store/provenance.ts'
import { readSkillFile } from '../skills/view-file.ts'
import { defineTool, jsonResult } from './tool.ts'
import type { ToolContext } from './tool.ts'

export const skillView = defineTool({
  name: 'skill_view',
  toolset: 'skills',
  description:
    'Load a skill: its instructions and the list of files that belong to it. With file_path, one of these files.',
  input: z.object({
    name: z.string().describe('As skills_list gives it'),
    file_path: z.string().optional().describe('e.g. references/api.md'),
  }),
  concurrency: 'exclusive',
  preview: ({ name, file_path }) => (file_path ? `${name} ${file_path}` : name),
  async run({ name, file_path }, context) {
    const { agent, session } = context
    const scope = await sessionSkills(agent, session.sessionId)
    try {
      const entry = await findSkill(scope, name)
      if (file_path !== undefined && file_path !== 'SKILL.md') {
        const { text, size, type } = await readSkillFile(entry, file_path)
        const common = { success: true, name: entry.name, file: file_path, file_type: type }
        if (text !== undefined) return jsonResult({ ...common, content: text })
        return jsonResult({ ...common, is_binary: true, size, content: `[binary file, ${size} bytes]` })
      }
      const document = await readSkill(entry)
      if (document.problems.length > 0) throw unsafeSkill(entry.name, document.problems)
      return jsonResult(await shown(document, scope, context))
    } catch (error) {
      if (!(error instanceof SkillError)) throw error
      return jsonResult(
        { success: false, error: error.message, ...error.details },
        error.code === 'unsafe' ? 'denied' : 'error',
      )
    }
  },
})

/** The skill in upstream's shape, after its user was asked for what it lacks. */
async function shown(
  document: SkillDocument,
  scope: SkillScope,
  context: ToolContext,
): Promise<Record<string, unknown>> {
  const { entry, metadata, text } = document
  const [links, provenance] = await Promise.all([linkedFiles(entry.folder), provenanceOf(scope.home, entry)])
  const { environment } = loadEnvironment(scope.home, scope.environment)
  const needs = await missingNeeds(metadata, { home: scope.home, environment })
  const secrets = await asked(document, needs, provenance, context)
  const missing = needs.variables.map(({ name }) => name).filter((name) => !secrets?.stored.includes(name))
  const isReady = missing.length + needs.commands.length + needs.credentialFiles.length === 0
  const settings = skillSettings(metadata, scope)
  return {
    success: true,
    name: entry.name,
    description: entry.description,
    tags: metadata.tags,
    related_skills: metadata.relatedSkills,
    content: text,
    path: entry.place === 'home' ? entry.path.slice(homeSkillsFolder(scope.home).length + 1) : entry.path,
    skill_dir: entry.folder,
    linked_files: links,
    usage_hint: links
      ? 'Load one of linked_files with skill_view(name, file_path) when the instructions ask for it.'
      : null,
    source: { ...provenance },
    required_environment_variables: metadata.variables.map(({ name, prompt, help, requiredFor, optional }) => {
      return { name, prompt, help, required_for: requiredFor, optional }
    }),
    required_commands: metadata.commands,
    missing_required_environment_variables: missing,
    missing_credential_files: needs.credentialFiles,
    missing_required_commands: needs.commands,
    setup_needed: !isReady,
    setup_skipped: secrets !== undefined && secrets.stored.length === 0,
    readiness_status: isReady ? 'available' : 'setup_needed',
    ...(metadata.setupHelp !== undefined && { setup_help: metadata.setupHelp }),
    ...(Object.keys(settings).length > 0 && { settings }),
    ...(setupNote(missing, needs, secrets) && { setup_note: setupNote(missing, needs, secrets) }),
    ...(metadata.compatibility !== undefined && { compatibility: metadata.compatibility }),
    ...(metadata.metadata !== undefined && { metadata: metadata.metadata }),
  }
}

async function asked(
  { entry }: SkillDocument,
  { variables }: MissingNeeds,
  { trust }: Provenance,
  { agent, decide, callId, signal }: ToolContext,
): Promise<SecretOutcome | undefined> {
  if (variables.length === 0) return undefined
  const { home, redactor } = agent
  const save = async (name: string, value: string) => {
    redactor.addKnown([{ name, value }])
    await saveVariable({ home, signal }, name, value)
  }
  return askSecrets({ skill: entry.name, trust, variables, callId, decide, save, signal })
}

function setupNote(missing: readonly string[], needs: MissingNeeds, secrets: SecretOutcome | undefined): string {
  const notes: string[] = []
  if (missing.length > 0)
    notes.push(`Not set: ${missing.join(', ')}. The user can set them with: hermes config set NAME VALUE.`)
  if (needs.commands.length > 0) notes.push(`Not installed: ${needs.commands.join(', ')}.`)
  if (needs.credentialFiles.length > 0)
    notes.push(`Missing files under the Hermes home: ${needs.credentialFiles.join(', ')}.`)
  if (secrets && secrets.stored.length > 0)
    notes.push(`Stored in .env: ${secrets.stored.join(', ')}; commands see them from the next session on.`)
  if (secrets && secrets.refused.length > 0)
    notes.push(`Not asked for, since they steer programs: ${secrets.refused.join(', ')}.`)
  return notes.join(' ')
}
