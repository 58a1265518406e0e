/**
 * What no checkpoint holds, in the notation of `.gitignore`: secrets, what tools make anew, caches. It stays as it is in
 * a restore.
 */
export const excludedFiles: readonly string[] = [
  '.env',
  '.env.*',
  '.envrc',
  'node_modules/',
  'bower_components/',
  'dist/',
  'build/',
  '.next/',
  '.nuxt/',
  '.svelte-kit/',
  '.turbo/',
  '.parcel-cache/',
  'coverage/',
  '.nyc_output/',
  '__pycache__/',
  '*.pyc',
  '*.pyo',
  '.pytest_cache/',
  '.mypy_cache/',
  '.ruff_cache/',
  '.tox/',
  '.venv/',
  'venv/',
  '.gradle/',
  '.terraform/',
  '.cache/',
  '*.log',
  '.DS_Store',
  '.git/',
  '.hg/',
  '.svn/',
]

/** A name as a pattern that stands for nothing else. */
export function literalPattern(path: string): string {
  return path.replace(/[\\*?[\]!# ]/g, String.raw`\$&`)
}
