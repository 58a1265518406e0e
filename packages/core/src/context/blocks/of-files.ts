import type { AgentContext } from '../../agent/context.ts'
import type { WatchPath } from '../../storage/file-memo.ts'
import type { BlockText, PromptNotice } from './block.ts'

export type TellNotice = (notice: PromptNotice) => void

/**
 * The text of a block that files alone decide: built by the first session, and again when one of the files has changed or
 * more secrets are known. What was told of them is told to each session.
 */
export function ofFiles(
  name: string,
  { context, tell }: { readonly context: AgentContext; readonly tell: TellNotice },
  build: (watch: WatchPath, tell: TellNotice) => Promise<BlockText>,
): BlockText | Promise<BlockText> {
  const { fileMemo, redactor } = context
  if (!fileMemo) return build(() => undefined, tell)
  const tellAll = ({ text, notices }: ToldText): BlockText => {
    for (const notice of notices) tell(notice)
    return text
  }
  const told = fileMemo.of(`block ${name} ${redactor.revision?.() ?? ''}`, async (watch): Promise<ToldText> => {
    const told: PromptNotice[] = []
    const built = await build(watch, (notice) => told.push(notice))
    return { text: built?.trim(), notices: told }
  })
  return told instanceof Promise ? told.then(tellAll) : tellAll(told)
}

interface ToldText {
  readonly text: BlockText
  readonly notices: readonly PromptNotice[]
}
