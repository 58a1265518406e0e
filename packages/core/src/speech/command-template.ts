import { ServiceError } from '../services/service-error.ts'

/**
 * The program and arguments of a command line with `{placeholders}`. No shell reads it: quotes only keep words together,
 * so that nothing that is put in can become a command. Throws `ServiceError` `unconfigured`.
 */
export function commandOf(
  template: string,
  values: Readonly<Record<string, string>>,
): { readonly program: string; readonly args: readonly string[] } {
  const words = [...template.matchAll(/(?:[^\s"']+|"[^"]*"|'[^']*')+/g)].map(([word]) =>
    word
      .replaceAll(/"([^"]*)"|'([^']*)'/g, (_, double?: string, single?: string) => double ?? single ?? '')
      .replaceAll(/\{(\w+)\}/g, (whole, name: string) => values[name] ?? whole),
  )
  const [program, ...args] = words
  if (program === undefined) throw new ServiceError('unconfigured', 'The command line is empty.')
  return { program, args }
}
