/** What a sub-agent is told beside its task. */
export function childInstructions(context: string | undefined, folder: string): string {
  const known = context?.trim()
  return [
    'You are a sub-agent: another agent has given you one task and sees nothing of your work but your last message. Nobody can answer questions; decide sensibly and say what you assumed.',
    known && `What you need to know:\n${known}`,
    `Work in ${folder}.`,
    'When you are done, report briefly: what you did, what you found out, which files you made or changed (absolute paths), and what went wrong or is left.',
  ]
    .filter(Boolean)
    .join('\n\n')
}
