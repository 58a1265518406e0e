import type { z } from 'zod'

/** What is wrong with a platform's own part of `config.yaml`, as one sentence. */
export function extraProblem(platform: string, { issues }: z.ZodError): string {
  const problems = issues.map(({ path, message }) => `platforms.${[platform, 'extra', ...path].join('.')}: ${message}`)
  return `${problems.join('; ')}.`
}
