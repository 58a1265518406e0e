import { z } from 'zod'
import { fileRules } from '../security/file-safety.ts'
import { changeFiles } from './change-files.ts'
import type { FileChange } from './change-files.ts'
import { finishChanges, journalPath } from './change-journal.ts'
import { changedSinceRead, digestOf } from './changed-since-read.ts'
import { answeringFileErrors } from './file-errors.ts'
import { lint } from './patch/lint.ts'
import type { LintResult } from './patch/lint.ts'
import { parsePatch } from './patch/parse-patch.ts'
import { PatchError } from './patch/patch-error.ts'
import { planPatch } from './patch/plan-patch.ts'
import type { PatchPlan } from './patch/plan-patch.ts'
import { planReplacement } from './patch/replace-text.ts'
import { defineTool, jsonResult } from './tool.ts'
import type { ToolContext, ToolResult } from './tool.ts'

const input = z.object({
  mode: z.enum(['replace', 'patch']).default('replace'),
  path: z.string().optional().describe('replace: the file'),
  old_string: z.string().optional().describe('replace: text to find, with enough around it to stand only once'),
  new_string: z.string().optional().describe('replace: text to put there; "" deletes'),
  replace_all: z.boolean().default(false).describe('replace: every place'),
  patch: z.string().optional().describe('patch: the whole patch'),
})

type Input = z.infer<typeof input>

export const patch = defineTool({
  name: 'patch',
  toolset: 'file',
  description: `Edit files. mode replace: put new_string for old_string in one file. mode patch: change several files at once, all or none:
*** Begin Patch
*** Update File: a.py
@@ def f():
 context
-old
+new
*** Add File: b.py
+content
*** Delete File: c.py
*** Move File: d.py -> e.py
*** End Patch
Differences in blanks and indentation are forgiven where the place is clear. Returns a diff, and what a syntax check says. Use this instead of sed or awk.`,
  input,
  concurrency: 'exclusive',
  preview: ({ mode, path, patch: text }) => (mode === 'patch' ? namedFiles(text ?? '') : (path ?? '')),
  run: answeringFileErrors(async (args, context) => {
    try {
      return await apply(args, context)
    } catch (error) {
      if (!(error instanceof PatchError)) throw error
      const { redactor } = context.agent
      return jsonResult(
        { success: false, error: redactor.redact(error.message), ...redactedDetails(error, context) },
        'error',
      )
    }
  }),
})

async function apply(args: Input, context: ToolContext): Promise<ToolResult> {
  const { agent, session, signal } = context
  await finishChanges(agent.home)
  const { plan, warning } = await planOf(args, context)
  await refuseChanged(plan.changes, context)
  const { versions } = await changeFiles(plan.changes, signal, journalPath(agent.home))
  for (const change of plan.changes) {
    const { fileReads } = session
    if (change.type === 'move') fileReads.wrote(change.from, undefined)
    const version = versions.get(change.target.path)
    const digest = change.type === 'write' ? digestOf(change.content) : undefined
    fileReads.wrote(change.target, version && { version, digest })
  }
  const checked = await lintResults(plan, args.mode, context)
  return jsonResult({
    success: true,
    diff: agent.redactor.redact(plan.diff),
    ...listed('files_modified', plan.modified),
    ...listed('files_created', plan.created),
    ...listed('files_deleted', plan.deleted),
    ...(checked && { lint: checked }),
    ...(warning !== undefined && { _warning: warning }),
  })
}

async function planOf(args: Input, context: ToolContext): Promise<{ plan: PatchPlan; warning: string | undefined }> {
  const { redactor } = context.agent
  const rules = fileRules(context)
  if (args.mode === 'patch') {
    if (!args.patch?.trim()) throw new PatchError('patch is needed in mode patch.')
    return { plan: await planPatch(parsePatch(args.patch), rules, redactor), warning: undefined }
  }
  const { path, old_string: oldText, new_string: newText } = args
  if (!path) throw new PatchError('path is needed in mode replace.')
  if (!oldText)
    throw new PatchError(
      'old_string is needed in mode replace and must not be empty. To make a new file use write_file.',
    )
  if (newText === undefined) throw new PatchError('new_string is needed in mode replace; give "" to delete the text.')
  if (oldText === newText) throw new PatchError('old_string and new_string are the same: there is nothing to change.')
  const plan = await planReplacement({ path, oldText, newText, all: args.replace_all }, rules, redactor)
  return { plan, warning: plan.warning }
}

/** Throws `PatchError` where others changed a file since this session read it: the patch may not mean what is there. */
async function refuseChanged(changes: readonly FileChange[], { session }: ToolContext): Promise<void> {
  for (const change of changes) {
    for (const file of change.type === 'move' ? [change.from, change.target] : [change.target]) {
      const changed = await changedSinceRead(file, session.fileReads)
      if (changed !== undefined) throw new PatchError(changed)
    }
  }
}

async function lintResults(plan: PatchPlan, mode: Input['mode'], { agent, signal }: ToolContext) {
  const written = plan.changes.filter((change) => change.type === 'write').slice(0, 8)
  const results = await Promise.all(
    written.map(async ({ target }): Promise<[string, LintResult | undefined]> => {
      const result = await lint(target.path, agent.environment, signal)
      return [
        target.asked,
        result?.status === 'error' ? { ...result, output: agent.redactor.redact(result.output) } : result,
      ]
    }),
  )
  const known = results.filter(([, result]) => result !== undefined)
  if (known.length === 0) return undefined
  return mode === 'patch' ? Object.fromEntries(known) : known[0]?.[1]
}

function redactedDetails({ details }: PatchError, { agent }: ToolContext): Readonly<Record<string, unknown>> {
  const { _hint: hint } = details
  return typeof hint === 'string' ? { ...details, _hint: agent.redactor.redact(hint) } : details
}

function listed(name: string, paths: readonly string[]): Readonly<Record<string, readonly string[]>> {
  return paths.length > 0 ? { [name]: paths } : {}
}

function namedFiles(text: string): string {
  const names = [...text.matchAll(/^\*\*\* (?:Update|Add|Delete|Move) File:\s*(.+)$/gm)].map(([, name]) => name?.trim())
  return names.length > 3 ? `${names.slice(0, 3).join(', ')} … (${names.length} files)` : names.join(', ')
}
