/** From this many equal looks in a row on, the call is refused. */
export const circleLimit = 4

/** What to tell a model that makes the same look (reading, searching) again and again; empty for the first ones. */
export function circleWarning(looks: number): { readonly _warning?: string } {
  if (looks < circleLimit - 1) return {}
  return {
    _warning: `You made this very call ${looks} times in a row; its result is the same. The next one is refused: use what you have.`,
  }
}
