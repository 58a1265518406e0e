/**
 * What a program that a test starts from its source takes along of the test's own environment: where the suite keeps what
 * it has compiled. Without it each start compiles hundreds of modules anew.
 */
export function compileCache(): Readonly<Record<string, string>> {
  const { NODE_COMPILE_CACHE: folder } = process.env
  return folder === undefined ? {} : { NODE_COMPILE_CACHE: folder }
}
