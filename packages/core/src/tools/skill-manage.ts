import { relative } from 'node:path'
import { z } from 'zod'
import type { Redactor } from '../security/redact.ts'
import { createSkillEditor } from '../skills/edit/skill-editor.ts'
import type { EditOutcome, SkillEditor } from '../skills/edit/skill-editor.ts'
import { sessionSkills } from '../skills/face-of-session.ts'
import { describeFindings } from '../skills/guard/finding.ts'
import type { GuardFinding } from '../skills/guard/finding.ts'
import { SkillError } from '../skills/skill-error.ts'
import { homeSkillsFolder } from '../skills/skill-scope.ts'
import { defineTool, jsonResult } from './tool.ts'
import type { ToolContext } from './tool.ts'

const actions = ['create', 'patch', 'edit', 'delete', 'write_file', 'remove_file'] as const

const input = z.object({
  action: z.enum(actions),
  name: z.string().describe('Small letters, digits, hyphens'),
  content: z.string().optional().describe('create, edit: the whole SKILL.md'),
  category: z.string().optional().describe('create: one folder name'),
  file_path: z
    .string()
    .optional()
    .describe('Under references/, templates/, scripts/ or assets/; patch: default SKILL.md'),
  file_content: z.string().optional().describe('write_file'),
  old_string: z.string().optional().describe('patch: unique text to replace'),
  new_string: z.string().optional().describe('patch'),
  replace_all: z.boolean().default(false),
})

type Input = z.infer<typeof input>

export const skillManage = defineTool({
  name: 'skill_manage',
  toolset: 'skills',
  description:
    'Keep what you learnt to do as a skill, and keep skills right: create, patch (small changes), edit (rewrite), delete, write_file, remove_file. Create one after a task that took many steps or corrections and will come again; patch one as soon as it proves wrong. SKILL.md: frontmatter with name and description (what and when), then numbered steps with exact commands, pitfalls, how to verify. Ask before you create or delete.',
  input,
  concurrency: 'exclusive',
  preview: ({ action, name, file_path }) => `${action} ${name}${file_path ? ` ${file_path}` : ''}`,
  async run(args, context) {
    const { agent, session, signal } = context
    const scope = await sessionSkills(agent, session.sessionId)
    const editor = createSkillEditor({
      scope,
      sessionId: session.sessionId,
      now: () => agent.clock.now(),
      consent: (subject, findings) => consent(args.action, subject, findings, context),
      signal,
    })
    try {
      refuseSecrets(args, agent.redactor)
      const outcome = await apply(args, editor)
      return jsonResult({ success: true, ...report(args, outcome, homeSkillsFolder(agent.home)) })
    } catch (error) {
      if (!(error instanceof SkillError)) throw error
      const status = error.code === 'unsafe' ? 'denied' : 'error'
      return jsonResult({ success: false, error: error.message, ...error.details }, status)
    }
  },
})

/** A skill may be shared and is read in many sessions: it names the variable, never the value. */
function refuseSecrets({ content, file_content, new_string }: Input, redactor: Redactor): void {
  const texts = [content, file_content, new_string].filter((text) => text !== undefined)
  if (texts.every((text) => redactor.redact(text) === text)) return
  throw new SkillError(
    'unsafe',
    'This holds a password or key. Write the name of a variable instead, and list it in required_environment_variables.',
  )
}

function apply(args: Input, editor: SkillEditor): Promise<EditOutcome> {
  const { action, name, category, file_path, replace_all } = args
  if (action === 'create') return editor.create(name, needed(args, 'content'), category || undefined)
  if (action === 'edit') return editor.edit(name, needed(args, 'content'))
  if (action === 'delete') return editor.remove(name)
  if (action === 'write_file') return editor.writeFile(name, needed(args, 'file_path'), needed(args, 'file_content'))
  if (action === 'remove_file') return editor.removeFile(name, needed(args, 'file_path'))
  const change = { old: needed(args, 'old_string'), fresh: needed(args, 'new_string'), all: replace_all }
  return editor.patch(name, { ...change, ...(file_path && { file: file_path }) })
}

type TextField = 'content' | 'file_path' | 'file_content' | 'old_string' | 'new_string'

function needed(args: Input, field: TextField): string {
  const value = args[field]
  if (value !== undefined) return value
  throw new SkillError('invalid', `${field} is needed for action ${args.action}.`)
}

function report(
  { action, name }: Input,
  { folder, path, review, note }: EditOutcome,
  root: string,
): Record<string, unknown> {
  const done = {
    create: 'created',
    patch: 'patched',
    edit: 'rewritten',
    delete: 'deleted',
    write_file: 'file written',
    remove_file: 'file removed',
  }
  return {
    message: `Skill "${name}": ${done[action]}.${action === 'delete' ? ' It is kept in skills/.hub/trash for a while.' : ''}`,
    path: relative(root, action === 'create' || action === 'delete' ? folder : path),
    ...(action === 'create' && {
      skill_md: path,
      hint: 'Add references, templates, scripts or assets with write_file.',
    }),
    ...(note !== undefined && { _warning: note }),
    ...(review.findings.length > 0 && { security_notes: describeFindings(review.findings) }),
  }
}

/** Something dangerous goes into a skill only when a person says so; silence is no. */
async function consent(
  action: Input['action'],
  subject: string,
  findings: readonly GuardFinding[],
  { agent, decide, callId, signal }: ToolContext,
): Promise<boolean> {
  const answer = await decide(
    {
      kind: 'approval',
      id: callId,
      subject: agent.redactor.redact(`${action} in skill "${subject}"\n${describeFindings(findings, 5)}`),
      reason: 'a skill with dangerous instructions',
      keys: [],
      choices: ['once', 'deny'],
    },
    signal,
  )
  return (
    answer.kind === 'approval' &&
    (answer.choice === 'once' || answer.choice === 'session' || answer.choice === 'always')
  )
}
