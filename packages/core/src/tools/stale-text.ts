/** The warning that files were not what the model last saw of them. */
export function staleText(paths: readonly string[]): string {
  return `${paths.join(', ')} had been changed by something else since you last read it; read it again before further edits.`
}
