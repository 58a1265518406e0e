import type { SignInFace } from '@hermes/core/credentials/oauth/flow.ts'
import type { Cli } from '../../command.ts'
import { UsageError } from '../../command.ts'
import { cleanLine } from '../../repl/clean-text.ts'
import { askLine } from './ask-line.ts'
import { browserOpener } from './open-browser.ts'

/** The person at the terminal, for a sign-in. All that is shown goes to stderr. */
export function terminalFace(cli: Cli, title: string, { noBrowser }: { readonly noBrowser: boolean }): SignInFace {
  const openBrowser = noBrowser ? undefined : browserOpener(cli.environment)
  const canPaste = cli.stdin.isTTY === true || noBrowser
  return {
    show: ({ url, code }) => {
      const typed = code === undefined ? '' : `\nand enter this code:\n\n  ${cleanLine(code)}\n`
      cli.stderr.write(`To sign in to ${title}, open this page in a browser:\n\n  ${cleanLine(url)}\n${typed}\n`)
      if (code !== undefined) cli.stderr.write('Waiting for you to do so (Ctrl-C stops) ...\n')
    },
    ...(openBrowser && { openBrowser }),
    ...(canPaste && {
      readPasted: async (signal: AbortSignal) => {
        const pasted = await askLine(cli, 'Paste the code, or the whole address, that the browser shows: ', signal)
        if (pasted === undefined) throw new UsageError('The input ended before a code was pasted.')
        return pasted
      },
    }),
  }
}
