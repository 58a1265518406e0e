/**
 * Makes a value when it is first asked for. Schemas of what is seldom read when a program starts are made so: together
 * they take longer than the start itself.
 */
export function lazily<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined
  return () => (made ??= { value: make() }).value
}
